"""Why a source or step gave no rows in a preview, by what it does and by what was counted; what isn't known
is said to be unknown.
"""

from collections.abc import Callable, Mapping
from typing import Final

from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.branch import BranchBound
from jobs.operators.change_bound import ChangeBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter_bound import FilterBound
from jobs.operators.late_rows import PORT
from jobs.operators.latest import LatestBound
from jobs.operators.split import SplitBound
from jobs.operators.throttle import ThrottleBound
from jobs.plan import Node, Plan
from weir.preview.services import empty_joins
from weir.preview.services.play_totals import PlayTotals
from weir.preview.services.samples import Sample
from weir.preview.services.seen_step import SeenStep

UNKNOWN: Final = "Rows came in and none went out. The preview doesn't show why."
_READ_ONCE: Final = "The rows of broadcast tables are read when the job starts and aren't shown here."
_NOT_APART: Final = "The step after it computes this one too, so its rows aren't seen apart."
_NOT_PLAYED: Final = "The preview ended before this step."

Cause = Callable[[SeenStep], str]


def why_source_empty(sample: Sample, records: int, malformed: int) -> str:
    """Why a source gave no rows.

    Args:
        sample: what was read of it.
        records: that were played.
        malformed: of them.
    """
    if not sample.records:
        return sample.note
    if not records:
        return _NOT_PLAYED
    if not malformed:
        return "The records are heartbeats, or events without a row."
    return "None of the records became a row. The reasons are listed above."


def why_empty(plan: Plan, node: Node, reference: str, totals: PlayTotals) -> str:
    """Why a step gave no rows.

    Args:
        plan: without errors.
        node: the step.
        reference: its own rows, or those of a named output.
        totals: of the play.
    """
    if reference not in totals.steps:
        if node.name in plan.copied:
            return _READ_ONCE
        return _NOT_APART if totals.batches else _NOT_PLAYED
    step = SeenStep(plan, node, reference, totals)
    if all(count == 0 for count in step.given.values()):
        return "Nothing came in." if len(step.given) < 2 else "Nothing came in from any input."
    if step.port == PORT and node.op != "branch":
        return _no_late_rows(step)
    lost = step.late_of_input + step.keyless
    if step.rows_in is not None and lost >= step.rows_in:
        return _all_lost(step)
    return _CAUSES.get(node.op, _unknown)(step)


def _all_lost(step: SeenStep) -> str:
    if not step.keyless:
        return "Every row was late: the watermark had passed it."
    if not step.late_of_input:
        return "Every row has a null in its key and is left out."
    return "Every row was left out: the key has a null, or the row was late."


def _no_late_rows(step: SeenStep) -> str:
    return "No row was late." if not step.totals.late else UNKNOWN


def _unknown(step: SeenStep) -> str:
    return UNKNOWN + _late_note(step)


def _late_note(step: SeenStep) -> str:
    return " Rows may have been late: some of this preview were." if step.may_have_late else ""


def _filter(step: SeenStep) -> str:
    assert isinstance(step.node.bound, FilterBound)
    failed = step.nulls("where")
    errors = f" In {failed:,} of them it is null because of an error." if failed else ""
    return f"The condition was true for none of the rows.{errors}"


def _sample(step: SeenStep) -> str:  # noqa: ARG001
    return "The sample chose none of the rows."


def _branch(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, BranchBound)
    if step.port == bound.rest:
        return "Every row met a condition of another output."
    earlier = " (rows that an earlier output took don't come here)" if bound.first else ""
    return f"No row met the condition of {step.port}{earlier}."


def _explode(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, ExplodeBound)
    return f"{bound.field} is empty or null in every row, so there is nothing to explode."


def _split(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, SplitBound)
    return f"{bound.field} is null or has nothing to split in every row."


def _latest(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, LatestBound)
    if bound.delete_when is None:
        return UNKNOWN
    return "The newest row of each key meets the condition that deletes it."


def _aggregate(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, AggregateBound)
    return _windows(step, bound)


def _change(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, ChangeBound)
    return _windows(step, bound.of)


def _windows(step: SeenStep, bound: AggregateBound) -> str:
    if bound.emit != "final":
        return _unknown(step)
    return (
        "No window has closed yet: these records don't move the watermark past the end of one."
        + _late_note(step)
    )


def _throttle(step: SeenStep) -> str:
    bound = step.node.bound
    assert isinstance(bound, ThrottleBound)
    what = "No interval is over yet" if bound.last else "Rows wait until the watermark has passed them"
    return f"{what}: these records don't move the watermark far enough.{_late_note(step)}"


_CAUSES: Final[Mapping[str, Cause]] = {
    "filter": _filter,
    "sample": _sample,
    "branch": _branch,
    "explode": _explode,
    "split": _split,
    "latest": _latest,
    "aggregate": _aggregate,
    "change": _change,
    "throttle": _throttle,
    "join": empty_joins.join,
    "table_join": empty_joins.table_join,
}
