"""How the columns of outputs come from those of sources: copied, computed or aggregated; and what decides
which rows there are. It follows `jobs.plan.lineage` and says nothing that this does not know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from jobs.expressions import Expression
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.filter_bound import FilterBound
from jobs.operators.join_bound import JoinBound
from jobs.operators.late_rows import LATE_NAMES
from jobs.operators.lineage import NOTHING, TIME, ColumnSources, through_expression
from jobs.operators.projection import ProjectionBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan.lineage import column_lineage
from jobs.plan.model import SOURCE, Node, Plan

Direct = Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"]
Indirect = Literal["FILTER", "GROUP_BY", "JOIN", "WINDOW"]
_STRENGTH: Final[tuple[Direct, ...]] = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")


@dataclass(frozen=True, slots=True)
class Origins:
    """Where an output's rows come from.

    Attributes:
        columns: by column, its source columns (``source.field``) and the strongest of what is done to each on
            the way: an aggregate of a computed value is an aggregation.
        rows: source columns that decide which rows there are, and how.
    """

    columns: Mapping[str, Mapping[str, Direct]]
    rows: Mapping[str, frozenset[Indirect]]


def output_origins(plan: Plan) -> dict[str, Origins]:
    """The origins of each output's rows, by name of the output; empty for a plan with errors."""
    if not plan.ok:
        return {}
    known = column_lineage(plan)
    done = _transformations(plan, known)
    return {
        sink.name: Origins(
            {name: done[sink.reference].get(name, {}) for name in plan.relation(sink.reference).schema.names},
            _row_origins(plan, sink.reference, known),
        )
        for sink in plan.sinks
        if sink.exchange is None
    }


def _transformations(
    plan: Plan, known: Mapping[str, ColumnSources]
) -> dict[str, dict[str, Mapping[str, Direct]]]:
    """By reference and column, what was done to each of its sources."""
    found: dict[str, dict[str, Mapping[str, Direct]]] = {}
    for node in plan.live_nodes:
        before = [found[one] for one in node.inputs]
        for reference in (node.name, *(f"{node.name}.{port}" for port in node.ports)):
            columns: dict[str, Mapping[str, Direct]] = {}
            for name, sources in known[reference].items():
                step, read = _made(node, name)
                columns[name] = {source: _strongest(step, before, read, source) for source in sources}
            found[reference] = columns
    return found


def _made(node: Node, name: str) -> tuple[Direct, frozenset[str]]:
    """What a step does to make this column of its rows, and the fields of the inputs' rows that it reads."""
    bound = node.bound
    if node.op == SOURCE:
        return "IDENTITY", NOTHING
    if isinstance(bound, AggregateBound):
        return _of_aggregate(bound, name)
    if isinstance(bound, ProjectionBound):
        column = dict(bound.columns).get(name)
        return ("IDENTITY", frozenset((name,))) if column is None else _of_expression(column)
    read = frozenset((name,))
    if isinstance(bound, JoinBound | TableJoinBound):
        read |= {field for field, joined in bound.names if joined == name}
    return ("TRANSFORMATION" if name in LATE_NAMES else "IDENTITY"), read


def _of_aggregate(bound: AggregateBound, name: str) -> tuple[Direct, frozenset[str]]:
    for measure in bound.measures:
        if measure.name == name:
            return "AGGREGATION", NOTHING.union(*(one.fields for one in measure.expressions))
    key = dict(bound.by).get(name)
    return ("TRANSFORMATION", frozenset((TIME,))) if key is None else _of_expression(key)  # a window's bound


def _of_expression(expression: Expression) -> tuple[Direct, frozenset[str]]:
    is_field = len(expression.fields) == 1 and expression.text.strip() in expression.fields
    return ("IDENTITY" if is_field else "TRANSFORMATION"), expression.fields


def _strongest(
    step: Direct, inputs: list[dict[str, Mapping[str, Direct]]], read: frozenset[str], source: str
) -> Direct:
    """The strongest of what this step and those before did to a source column, in the fields it reads."""
    earlier = [
        made_of[source]
        for columns in inputs
        for field, made_of in columns.items()
        if field in read and source in made_of
    ]
    return max((step, *earlier), key=_STRENGTH.index)


def _row_origins(
    plan: Plan, reference: str, known: Mapping[str, ColumnSources]
) -> dict[str, frozenset[Indirect]]:
    found: dict[str, set[Indirect]] = {}
    upstream = plan.upstream_of(reference)
    for node in plan.live_nodes:
        if node.name not in upstream or node.op == SOURCE:
            continue
        for kind, sources in _deciding(node, [known[one] for one in node.inputs]):
            for source in sources:
                found.setdefault(source, set()).add(kind)
    return {source: frozenset(kinds) for source, kinds in found.items()}


def _deciding(node: Node, inputs: list[ColumnSources]) -> list[tuple[Indirect, frozenset[str]]]:
    bound = node.bound
    if isinstance(bound, FilterBound):
        return [("FILTER", through_expression(bound.where, inputs[0]))]
    if isinstance(bound, AggregateBound):
        keys = NOTHING.union(*(through_expression(key, inputs[0]) for _, key in bound.by))
        window = inputs[0].get(TIME, NOTHING) if bound.window is not None else NOTHING
        return [("GROUP_BY", keys), ("WINDOW", window)]
    if isinstance(bound, JoinBound | TableJoinBound):
        left = NOTHING.union(*(inputs[0].get(pair.left, NOTHING) for pair in bound.on))
        right = NOTHING.union(*(inputs[1].get(pair.right, NOTHING) for pair in bound.on))
        return [("JOIN", left | right)]
    return []
