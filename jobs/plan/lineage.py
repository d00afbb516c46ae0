"""From which source columns each column of a plan is made: what a change of a stream's field would touch."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.expressions import Expression
from jobs.operators.aggregate import AggregateBound
from jobs.operators.change import ChangeBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.join import JoinBound
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join import TableJoinBound
from jobs.operators.union import UnionBound
from jobs.plan.model import SOURCE, Plan, SourceBound

ColumnSources = Mapping[str, frozenset[str]]
NOTHING: Final = frozenset[str]()
TIME: Final = "_time"


def column_lineage(plan: Plan) -> dict[str, ColumnSources]:
    """Source columns, as ``source.field``, by ``node`` or ``node.port`` and column.

    Args:
        plan: without errors.

    Returns:
        For all that flows out of live nodes, each declared column and each system field that can be read there.
        Conditions that only decide whether a row is there (filters, join keys) are no origin of its values: a join's key
        column comes from its own side, and is null where that side has no row.
    """
    found: dict[str, ColumnSources] = {}
    for node in plan.live_nodes:
        names = node.output.readable.names
        if node.op == SOURCE:
            found[node.name] = {name: frozenset((f"{node.name}.{name}",)) for name in names}
            continue
        inputs = [found[reference] for reference in node.inputs]
        of_field = _MAKERS.get(type(node.bound), _passed_on)
        found[node.name] = {name: of_field(node.bound, name, inputs) for name in names}
        for port, relation in node.ports.items():
            of_port = _of_late_row if port == PORT and relation.late_rows else _passed_on
            found[f"{node.name}.{port}"] = {name: of_port(node.bound, name, inputs) for name in relation.readable.names}
    return found


def output_lineage(plan: Plan) -> dict[str, dict[str, list[str]]]:
    """Source columns of every column of every output, sorted, by output and column; empty for a plan with errors."""
    if not plan.ok:
        return {}
    made = column_lineage(plan)
    names = {sink.name: (sink.reference, plan.relation(sink.reference).schema.names) for sink in plan.sinks}
    return {output: {field: sorted(made[reference][field]) for field in fields} for output, (reference, fields) in names.items()}


def source_paths(plan: Plan) -> dict[str, str]:
    """Where source columns are read from, by ``source.field``: of those that are not the record's member of their own name."""
    return {
        f"{node.name}.{field.name}": field.at
        for node in plan.live_nodes
        if isinstance(node.bound, SourceBound)
        for field in node.bound.contract.read_fields
        if not field.is_member
    }


def _of_late_row(bound: Any, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    """By how much a row was late is its time against the watermark; which step refused it, and the watermark, no column says."""
    if name in LATE_NAMES:
        return inputs[0].get(TIME, NOTHING) if name == "late_by" else NOTHING
    return _passed_on(bound, name, inputs)


def _passed_on(bound: Any, name: str, inputs: list[ColumnSources]) -> frozenset[str]:  # noqa: ARG001
    """Filter, branch, sample, deduplicate and latest choose rows, and leave them as they are."""
    return inputs[0].get(name, NOTHING)


def _of_projection(bound: ProjectionBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    expression = dict(bound.columns).get(name)
    return _through(expression, inputs[0]) if expression is not None else inputs[0].get(name, NOTHING)


def _of_split(bound: SplitBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    return inputs[0].get(bound.field if name == bound.as_ else name, NOTHING)


def _of_explode(bound: ExplodeBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    return inputs[0].get(bound.field if name in (*bound.names, bound.position) else name, NOTHING)


def _of_union(bound: UnionBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    """A column comes from every input that has it; which input a row came from is said by the step itself."""
    return NOTHING if name == bound.source_field else NOTHING.union(*(known.get(name, NOTHING) for known in inputs))


def _of_aggregate(bound: AggregateBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    """A measure comes from what it is computed of; what its own ``where`` reads decides its value too."""
    key = next((expression for field, expression in bound.by if field == name), None)
    if key is not None:
        return _through(key, inputs[0])
    made = [measure for measure in bound.measures if measure.name == name]
    if made:
        parts = [part for measure in made for part in (*measure.arguments, measure.where) if part is not None]
        return NOTHING.union(*(_through(part, inputs[0]) for part in parts))
    return inputs[0].get(TIME, NOTHING)  # bounds of the window, and the time made of them


def _of_change(bound: ChangeBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    """The value before, the difference and the percentage come from the measure whose change they are."""
    measure = next((changed.measure.name for changed in bound.changed if name in [field.name for field in changed.fields]), name)
    return inputs[0].get(measure, NOTHING)


def _of_join(bound: JoinBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    left, right = inputs
    if bound.type in ("semi", "anti"):
        return left.get(name, NOTHING)
    if name == TIME:
        # A pair's time is that of one side; of a row without a partner its own, so in outer joins either may decide.
        sides = {"left": [left], "right": [right], "later": [left, right]}[bound.time]
        outer = [left] if bound.type in ("left", "full") else []
        outer += [right] if bound.type in ("right", "full") else []
        return NOTHING.union(*(side.get(TIME, NOTHING) for side in (*sides, *outer)))
    return _of_sides(bound.names, name, left, right)


def _of_table_join(bound: TableJoinBound, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    """System fields are those of the stream's row."""
    return _of_sides(bound.names, name, *inputs)


def _of_sides(names: tuple[tuple[str, str], ...], name: str, left: ColumnSources, right: ColumnSources) -> frozenset[str]:
    field = {joined: field for field, joined in names}.get(name)
    return left.get(name, NOTHING) if field is None else right.get(field, NOTHING)


def _through(expression: Expression, known: ColumnSources) -> frozenset[str]:
    return NOTHING.union(*(known.get(field, NOTHING) for field in expression.fields))


_MAKERS: Final[Mapping[type, Callable[[Any, str, list[ColumnSources]], frozenset[str]]]] = {
    ProjectionBound: _of_projection,
    SplitBound: _of_split,
    ExplodeBound: _of_explode,
    UnionBound: _of_union,
    AggregateBound: _of_aggregate,
    ChangeBound: _of_change,
    JoinBound: _of_join,
    TableJoinBound: _of_table_join,
}
"""How a step makes its columns, by its bound form; other steps pass those of their input on."""
