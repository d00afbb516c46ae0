"""Pass: the source columns that each column of a plan is computed from: what a change of these affects."""

from typing import Final

from jobs.base.budget import Budget, OverBudget, bounded, spend
from jobs.base.problems import DocumentPath, problem
from jobs.operators import OPERATORS
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.operators.lineage import NOTHING, TIME, ColumnSources, same_columns
from jobs.operators.relation import Relation
from jobs.plan.draft import Draft
from jobs.plan.model import Plan, SourceBound

MAX_LINEAGE: Final = 500_000
"""Source columns, summed over the columns of all steps and outputs, and over what is read to find them.
Whoever asks for the lineage of a plan (the check's answer, OpenLineage, diagnosis) does as much again.
"""
_NARROWER: Final = (
    "Compute columns from fewer others, give fewer outputs the same columns, or split the job in two with a "
    "topic in between."
)


def lineage(draft: Draft) -> None:
    """Fill in the lineage of a valid document: the sources of every declared column, and of every system
    field that expressions may read, of all live nodes and named outputs.

    Conditions that only decide whether a row exists (filters, join keys) are not part of the lineage: a
    join's key column comes from its own side, and is null where that side has no row.

    DOCUMENT_TOO_LARGE for the step or output at which it exceeds `MAX_LINEAGE`.
    """
    if not draft.valid:
        return
    at: DocumentPath = ()
    try:
        with bounded(Budget(MAX_LINEAGE)):
            for name in draft.live_sources():
                at = ("sources", name)
                names = draft.relations[name].readable.names
                _store(draft, name, {each: frozenset((f"{name}.{each}",)) for each in names})
            for name in draft.live_steps():
                at = ("steps", name)
                _of_step(draft, name)
            for sink in draft.sinks:
                at = ("outputs", sink.name)
                spend(_size(draft.lineage[sink.reference]))
    except OverBudget:
        message = (
            f"Up to here, columns come from more than {MAX_LINEAGE:,} columns of sources in all, each "
            "counted as often as one comes from it."
        )
        draft.problems.append(problem("DOCUMENT_TOO_LARGE", at, message, _NARROWER))


def output_lineage(plan: Plan) -> dict[str, dict[str, list[str]]]:
    """Source columns, sorted, by output and column; empty for a plan with errors."""
    if not plan.ok:
        return {}
    names = {sink.name: (sink.reference, plan.relation(sink.reference).schema.names) for sink in plan.sinks}
    return {
        output: {field: sorted(plan.lineage[reference][field]) for field in fields}
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


def _of_step(draft: Draft, name: str) -> None:
    inputs = [draft.lineage[reference] for reference in draft.inputs[name]]
    of_columns, bound = OPERATORS[draft.document.steps[name].op].lineage, draft.bounds[name]
    _store(draft, name, of_columns(bound, draft.relations[name].readable.names, inputs))
    for reference in draft.ports(name):
        _store(draft, reference, _of_port(reference.partition(".")[2], draft.relations[reference], inputs))


def _of_port(port: str, relation: Relation, inputs: list[ColumnSources]) -> ColumnSources:
    """Lineage of a named output's columns: ``late_by`` of a late row comes from the row's time; ``late_step``
    and ``late_watermark`` come from no column.
    """
    same = same_columns(None, relation.readable.names, inputs)
    if port != PORT or not relation.late_rows:
        return same
    late = dict.fromkeys(LATE_NAMES, NOTHING) | {"late_by": inputs[0].get(TIME, NOTHING)}
    return {name: late.get(name, sources) for name, sources in same.items()}


def _store(draft: Draft, reference: str, columns: ColumnSources) -> None:
    spend(_size(columns))
    draft.lineage[reference] = columns


def _size(columns: ColumnSources) -> int:
    return sum(map(len, columns.values()))
