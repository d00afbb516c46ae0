"""How the columns of outputs come from those of sources: copied, computed or aggregated; and what decides
which rows there are. It follows `jobs.plan.lineage` and says nothing that this does not know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from jobs.expressions import Expression
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.change_bound import ChangeBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.join_bound import ONE_SIDED, JoinBound
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.operators.lineage import NOTHING, TIME
from jobs.operators.projection import ProjectionBound, is_same_field
from jobs.operators.split import SplitBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan.model import SOURCE, Node, Plan
from jobs.row_origins import Indirect, row_origins

Direct = Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"]
_STRENGTH: Final[tuple[Direct, ...]] = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")

Made = tuple[Direct, tuple[frozenset[str], ...]]
"""What a step does to make a column, and the fields that it reads of each input."""
Done = Mapping[str, Mapping[str, Direct]]
"""By column, the strongest of what was done to each of its source columns."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Where an output's rows come from.

    Attributes:
        columns: by column, its source columns (``source.field``) and the strongest of what is done to each on
            the way: an aggregate of a computed value is an aggregation.
        rows: source columns that decide which rows there are, and how.
    """

    columns: Done
    rows: Mapping[str, frozenset[Indirect]]


def output_origins(plan: Plan) -> dict[str, Origins]:
    """The origins of each output's rows, by name of the output; empty for a plan with errors."""
    if not plan.ok:
        return {}
    done: dict[str, Done] = {}
    for node in plan.live_nodes:
        before = [done[one] for one in node.inputs]
        for reference in (node.name, *(f"{node.name}.{port}" for port in node.ports)):
            done[reference] = {
                name: _strongest(_made(node, reference, name), before, sources)
                for name, sources in plan.lineage[reference].items()
            }
    return {
        sink.name: Origins(
            {name: done[sink.reference].get(name, {}) for name in plan.relation(sink.reference).schema.names},
            row_origins(plan, sink.reference),
        )
        for sink in plan.sinks
        if sink.exchange is None
    }


def _strongest(made: Made, before: list[Done], sources: frozenset[str]) -> Mapping[str, Direct]:
    """By source column, the strongest of what a step and those before it did, on the way that it reads."""
    step, read = made
    found = dict.fromkeys(sources, step)
    for columns, fields in zip(before, read, strict=False):
        for field in fields:
            for source, earlier in columns.get(field, {}).items():
                if source in found:
                    found[source] = max(found[source], earlier, key=_STRENGTH.index)
    return found


def _made(node: Node, reference: str, name: str) -> Made:
    """How a step makes a column of its rows or, where the reference names one, of a port's."""
    bound, same = node.bound, frozenset((name,))
    if node.op == SOURCE:
        return "IDENTITY", ()
    if reference != node.name:
        late = reference == f"{node.name}.{PORT}" and node.ports[PORT].late_rows and name in LATE_NAMES
        return ("TRANSFORMATION", (frozenset((TIME,)),)) if late else ("IDENTITY", (same,))
    if isinstance(bound, JoinBound | TableJoinBound):
        return _of_join(bound, name)
    if isinstance(bound, AggregateBound):
        return _of_aggregate(bound, name)
    if isinstance(bound, ProjectionBound):
        column = dict(bound.columns).get(name)
        return ("IDENTITY", (same,)) if column is None else _of_expression(column)
    made_of = _fields_made(bound).get(name)
    # A union has the column of every input that has it.
    return ("IDENTITY", (same,) * len(node.inputs)) if made_of is None else made_of


def _of_join(bound: JoinBound | TableJoinBound, name: str) -> Made:
    one_sided = isinstance(bound, JoinBound) and bound.type in ONE_SIDED
    if isinstance(bound, JoinBound) and name == TIME and not one_sided:
        return (
            "TRANSFORMATION" if bound.time == "later" else "IDENTITY",
            (frozenset((TIME,)), frozenset((TIME,))),
        )
    right = None if one_sided else {joined: field for field, joined in bound.names}.get(name)
    if right is None:
        return "IDENTITY", (frozenset((name,)), NOTHING)
    return "IDENTITY", (NOTHING, frozenset((right,)))


def _of_aggregate(bound: AggregateBound, name: str) -> Made:
    for measure in bound.measures:
        if measure.name == name:
            return "AGGREGATION", (NOTHING.union(*(one.fields for one in measure.expressions)),)
    key = dict(bound.by).get(name)
    if key is None:
        return "TRANSFORMATION", (frozenset((TIME,)),)  # a window's bound
    return _of_expression(key)


def _of_expression(expression: Expression) -> Made:
    copied = any(is_same_field(field, expression) for field in expression.fields)
    return ("IDENTITY" if copied else "TRANSFORMATION"), (expression.fields,)


def _fields_made(bound: object) -> Mapping[str, Made]:
    """The fields that a step adds, of those that read one field for several."""
    if isinstance(bound, ExplodeBound):
        return dict.fromkeys(bound.made, ("TRANSFORMATION", (frozenset((bound.field,)),)))
    if isinstance(bound, SplitBound):
        return {bound.as_: ("TRANSFORMATION", (frozenset((bound.field,)),))}
    if isinstance(bound, ChangeBound):
        return {
            field.name: ("TRANSFORMATION", (frozenset((changed.measure.name,)),))
            for changed in bound.changed
            for field in changed.fields
        }
    return {}
