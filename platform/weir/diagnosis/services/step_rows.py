"""Rows of the sample through the steps that keep no state, computed in plain Python
(`jobs.expressions.interpreter`). What Python does not compute as Spark does is not guessed: it is unknown.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.budget import Budget, OverBudget, bounded, spend
from jobs.base.problems import has_errors
from jobs.expressions import Expression
from jobs.expressions.interpreter import condition, expression
from jobs.expressions.python_functions.casts import held
from jobs.expressions.spark_types import quoted
from jobs.operators.branch import BranchBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter_bound import FilterBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation
from jobs.operators.table_join_bound import TableJoinBound
from jobs.operators.union import UnionBound
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.trail import Trail

MAX_WORK: Final = 50_000_000  # units of all steps together (`jobs.expressions.interpreter`)
MAX_CPU_S: Final = 2.0
MAX_ROWS: Final = 20_000  # of one node: unions and arrays multiply rows

NOT_COMPUTED: Final = "it can only be computed in an engine"
_NO_INPUT: Final = "the rows it reads aren't known here"
_KEEPS_STATE: Final = "it keeps state, which only the engine has"
_TOO_SLOW: Final = "it takes too long to compute here"
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StepRows:
    """Rows of one node or named output.

    Attributes:
        rows: None: not known.
        unknown: why not; empty where they are known.
        uncomputed: fields whose values are not known, because Python does not compute them.
    """

    rows: tuple[SampledRow, ...] | None
    unknown: str = ""
    uncomputed: frozenset[str] = frozenset()

    @property
    def count(self) -> int | None:
        """How many there are; None: not known."""
        return None if self.rows is None else len(self.rows)


Found = Mapping[str, StepRows]
"""Rows of the sample by reference."""


class UnknownRowsError(Exception):
    """The rows are not known; the message says why."""


Compute = Callable[[Plan, Node, list[StepRows]], dict[str, StepRows]]


def rows_through(
    plan: Plan,
    sources: Mapping[str, tuple[SampledRow, ...] | None],
    steps: Mapping[str, Compute] | None = None,
) -> dict[str, StepRows]:
    """Rows of every live node and named output, by reference (``node`` or ``node.port``).

    Args:
        plan: without errors.
        sources: sampled rows by source; None: nothing could be read.
        steps: how operators are computed, by name; None: those without state, everything else is unknown.
    """
    steps = STATELESS if steps is None else steps
    found: dict[str, StepRows] = {}
    with bounded(Budget(MAX_WORK, MAX_CPU_S)):
        for node in plan.live_nodes:
            if node.name in sources:
                rows = sources[node.name]
                found[node.name] = StepRows(rows, "" if rows is not None else "its topic can't be read")
            else:
                found |= _of_step(plan, node, found, steps)
    return found


def _of_step(
    plan: Plan, node: Node, found: Mapping[str, StepRows], steps: Mapping[str, Compute]
) -> dict[str, StepRows]:
    inputs = [found.get(reference, StepRows(None, _NO_INPUT)) for reference in node.inputs]
    compute = steps.get(node.op)
    try:
        if any(each.rows is None for each in inputs[: 1 if node.op == "table_join" else None]):
            raise UnknownRowsError(_NO_INPUT)
        if compute is None:
            raise UnknownRowsError(_KEEPS_STATE if node.state.kind != "none" else NOT_COMPUTED)
        spend(sum(each.count or 0 for each in inputs))
        return compute(plan, node, inputs)
    except OverBudget:
        return _unknown(node, _TOO_SLOW)
    except UnknownRowsError as unknown:
        return _unknown(node, str(unknown))
    except Exception:  # noqa: BLE001 - the other steps are shown whatever happens here
        _LOG.exception("rows of step %s", node.name)
        return _unknown(node, NOT_COMPUTED)


def _unknown(node: Node, why: str) -> dict[str, StepRows]:
    return {
        name: StepRows(None, why) for name in (node.name, *(f"{node.name}.{port}" for port in node.ports))
    }


def known_rows(given: StepRows) -> tuple[SampledRow, ...]:
    """Rows of an input.

    Raises:
        UnknownRowsError: they are not known.
    """
    if given.rows is None:
        raise UnknownRowsError(given.unknown)
    return given.rows


def require_room(rows: int) -> None:
    """Refuse so many rows of one step.

    Raises:
        UnknownRowsError: they are more than `MAX_ROWS`.
    """
    if rows > MAX_ROWS:
        raise UnknownRowsError(f"the sample becomes {rows:,} rows there")


def _filtered(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, FilterBound)
    holds = row_condition(bound.where, plan.relation(node.inputs[0]), given)
    return {node.name: StepRows(tuple(filter(holds, known_rows(given))), uncomputed=given.uncomputed)}


def _branched(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, BranchBound)
    source = plan.relation(node.inputs[0])
    conditions = {name: row_condition(where, source, given) for name, where in bound.branches}
    found: dict[str, list[SampledRow]] = {name: [] for name in node.ports}
    for row in known_rows(given):
        holding = [name for name, holds in conditions.items() if holds(row)]
        places = holding[:1] if bound.first else holding
        for name in places or ([bound.rest] if bound.rest else []):
            found[name].append(row)
    ports = {
        f"{node.name}.{name}": StepRows(tuple(rows), uncomputed=given.uncomputed)
        for name, rows in found.items()
    }
    return {node.name: given, **ports}


def _projected(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, ProjectionBound)
    source = plan.relation(node.inputs[0])
    computed: dict[str, Callable[[Mapping[str, Any]], Any]] = {}
    for name, column in bound.columns:
        evaluate = None if column.fields & given.uncomputed else row_column(column, source)
        if evaluate is not None:
            computed[name] = evaluate
    uncomputed = frozenset(name for name, _ in bound.columns) - computed.keys()
    system = plan.relation(node.name).system

    def of(row: SampledRow) -> SampledRow:
        kept = {name: row.values[name] for name in system if name in row.values}
        made = {name: of_(row.values) for name, of_ in computed.items()}
        return SampledRow({**kept, **made}, row.time_us, row.trail)

    return {node.name: StepRows(tuple(map(of, known_rows(given))), uncomputed=uncomputed)}


def _united(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    bound = node.bound
    assert isinstance(bound, UnionBound)
    rows: list[SampledRow] = []
    require_room(sum(each.count or 0 for each in inputs))
    for name, given in zip(bound.names, inputs, strict=True):
        origin = {bound.source_field: name} if bound.source_field else {}
        rows += [
            SampledRow(
                {**row.values, **_widened(bound, given, row), **origin},
                row.time_us,
                _of_input(bound, name, row),
            )
            for row in known_rows(given)
        ]
    uncomputed = frozenset[str]().union(*(given.uncomputed for given in inputs))
    return {node.name: StepRows(tuple(rows), uncomputed=uncomputed)}


def _of_input(bound: UnionBound, name: str, row: SampledRow) -> Trail | None:
    return row.trail.below(name) if row.trail and bound.prefixed else row.trail


def _widened(bound: UnionBound, given: StepRows, row: SampledRow) -> dict[str, Any]:
    """Values in the types of the union; null for a field that the input lacks, nothing for one that isn't
    computed there.
    """
    return {
        field.name: held(row.values.get(field.name), field.type)
        for field in bound.fields
        if field.name not in given.uncomputed
    }


def _enriched(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    """A left join with a table keeps every row; what the table adds is not known here."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, TableJoinBound)
    if bound.type != "left":
        raise UnknownRowsError(_KEEPS_STATE)
    added = frozenset(name for _, name in bound.names)
    return {node.name: StepRows(given.rows, uncomputed=given.uncomputed | added)}


def _exploded(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, ExplodeBound)
    if bound.field in given.uncomputed:
        raise UnknownRowsError(NOT_COMPUTED)
    require_room(sum(len(row.values[bound.field] or ()) for row in known_rows(given)))
    rows = tuple(exploded for row in known_rows(given) for exploded in _elements(bound, row))
    return {node.name: StepRows(rows, uncomputed=given.uncomputed)}


def _elements(bound: ExplodeBound, row: SampledRow) -> list[SampledRow]:
    elements = row.values[bound.field] or ()
    parts: list[tuple[Any, ...]] = (
        sorted(elements.items()) if isinstance(elements, Mapping) else [(element,) for element in elements]
    )
    if not parts and bound.keep_empty:
        parts = [(None,) * len(bound.names)]
    rest = {name: value for name, value in row.values.items() if name != bound.field}
    return [
        SampledRow(
            {
                **rest,
                **({bound.position: at} if bound.position else {}),
                **dict(zip(bound.names, part, strict=True)),
            },
            row.time_us,
            row.trail.indexed(at) if row.trail else None,
        )
        for at, part in enumerate(parts)
    ]


def row_condition(where: Expression, source: Relation, given: StepRows) -> Callable[[SampledRow], bool]:
    """A condition over rows of an input.

    Raises:
        UnknownRowsError: Python does not compute it, or not what it reads.
    """
    if where.fields & given.uncomputed:
        raise UnknownRowsError(NOT_COMPUTED)
    holds, problems = condition(where.text, source.readable, ())
    if holds is None or has_errors(problems):
        raise UnknownRowsError(NOT_COMPUTED)
    return lambda row: holds(row.values)


def row_column(column: Expression, source: Relation) -> Callable[[Mapping[str, Any]], Any] | None:
    """A column as a function; None where Python does not compute it."""
    if len(column.fields) == 1:
        (name,) = column.fields
        if column.canonical == quoted(name):
            return lambda values: values[name]
    evaluate, problems = expression(column.canonical, source.readable, ())
    return None if has_errors(problems) else evaluate


STATELESS: Final[Mapping[str, Compute]] = {
    "filter": _filtered,
    "branch": _branched,
    "union": _united,
    "explode": _exploded,
    "table_join": _enriched,
    **dict.fromkeys(("derive", "select", "rename", "drop", "cast", "flatten"), _projected),
}
