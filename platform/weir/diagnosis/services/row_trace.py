"""The records that made one row of an output, among records that were read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from jobs.plan import Plan
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import StepRows, rows_through
from weir.diagnosis.services.traced.rows import newest_entry, trail_of
from weir.diagnosis.services.traced.steps import TracedSteps
from weir.diagnosis.services.trail import NO_DOUBTS, Doubt, RecordPlace

_NOT_MADE: Final = "none of the records that were read gives this row"


@dataclass(frozen=True, slots=True)
class RowTrace:
    """How a row came about.

    Attributes:
        records: that made it; None: unknown.
        doubts: why some of the records may have had no part in it; for unknown ones, where they can't be
            followed.
    """

    records: frozenset[RecordPlace] | None
    doubts: frozenset[Doubt] = NO_DOUBTS

    @property
    def exact(self) -> bool:
        """Whether these records and no others made the row, of those that were read."""
        return self.records is not None and not self.doubts


def row_trace(
    plan: Plan,
    reference: str,
    identity: list[Any],
    sources: Mapping[str, tuple[SampledRow, ...] | None],
    late: frozenset[str],
) -> RowTrace:
    """Follow records from their sources to a row.

    Args:
        plan: without errors.
        reference: ``node`` or ``node.port`` that gives the row.
        identity: of the row, its parts as JSON values.
        sources: rows with trails by source (`traced.rows.source_row`), all that may have had a part in it;
            None: they can't be read.
        late: names of steps that may have dropped rows because they came too late.
    """
    part = replace(plan, live=plan.upstream_of(reference))
    found = rows_through(part, sources, TracedSteps(late).table)
    given = found[reference]
    if given.rows is None:
        return RowTrace(None, frozenset((_first_unknown(part, found),)))
    wanted = _tuple(identity)
    rows = [row for row in given.rows if trail_of(row).identity == wanted]
    row = newest_entry(rows, plan.relation(reference).newest_by)
    if row is None or trail_of(row).deleted:
        return RowTrace(None, frozenset((Doubt(reference.partition(".")[0], _NOT_MADE),)))
    return RowTrace(trail_of(row).records, trail_of(row).members)


def _first_unknown(plan: Plan, found: Mapping[str, StepRows]) -> Doubt:
    """The first step upstream whose rows are not known."""
    name = next(node.name for node in plan.live_nodes if found[node.name].rows is None)
    return Doubt(name, found[name].unknown)


def _tuple(part: Any) -> Any:
    return tuple(map(_tuple, part)) if isinstance(part, list) else part
