"""The source columns that each column of a plan is computed from: what a change of these affects."""

from typing import Any

from jobs.operators import OPERATORS
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.operators.lineage import NOTHING, TIME, ColumnSources, same_column
from jobs.plan.model import SOURCE, Plan, SourceBound


def column_lineage(plan: Plan) -> dict[str, ColumnSources]:
    """Source columns, as ``source.field``, by ``node`` or ``node.port`` and column.

    Args:
        plan: without errors.

    Returns:
        The sources of every declared column, and of every system field that expressions may read, of all live
        nodes and named outputs. Conditions that only decide whether a row exists (filters, join keys) are
        not part of the lineage: a join's key column comes from its own side, and is null where that side
        has no row.
    """
    found: dict[str, ColumnSources] = {}
    for node in plan.live_nodes:
        names = node.output.readable.names
        if node.op == SOURCE:
            found[node.name] = {name: frozenset((f"{node.name}.{name}",)) for name in names}
            continue
        inputs = [found[reference] for reference in node.inputs]
        of_field = OPERATORS[node.op].lineage
        found[node.name] = {name: of_field(node.bound, name, inputs) for name in names}
        for port, relation in node.ports.items():
            of_port = _of_late_row if port == PORT and relation.late_rows else same_column
            found[f"{node.name}.{port}"] = {
                name: of_port(node.bound, name, inputs) for name in relation.readable.names
            }
    return found


def output_lineage(plan: Plan) -> dict[str, dict[str, list[str]]]:
    """Source columns, sorted, by output and column; empty for a plan with errors."""
    if not plan.ok:
        return {}
    made = column_lineage(plan)
    names = {sink.name: (sink.reference, plan.relation(sink.reference).schema.names) for sink in plan.sinks}
    return {
        output: {field: sorted(made[reference][field]) for field in fields}
        for output, (reference, fields) in names.items()
    }


def source_paths(plan: Plan) -> dict[str, str]:
    """The paths that source columns are read from, by ``source.field``, where they differ from the name."""
    return {
        f"{node.name}.{field.name}": field.at
        for node in plan.live_nodes
        if isinstance(node.bound, SourceBound)
        for field in node.bound.contract.read_fields
        if not field.is_member
    }


def _of_late_row(bound: Any, name: str, inputs: list[ColumnSources]) -> frozenset[str]:
    """Lineage of a late row's columns: ``late_by`` comes from the row's time; ``late_step`` and
    ``late_watermark`` come from no column.
    """
    if name in LATE_NAMES:
        return inputs[0].get(TIME, NOTHING) if name == "late_by" else NOTHING
    return same_column(bound, name, inputs)
