"""The rows that a step took away, and why: of a filter those for which its condition wasn't true, of a step
with state those that came too late.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final

from jobs.base.durations import Duration
from jobs.base.instants import instant_text, nearest_instant
from jobs.operators import OPERATORS
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.filter_bound import FilterBound
from jobs.operators.join_bound import JoinBound
from jobs.operators.windows import WindowSpec
from jobs.plan.model import SOURCE
from jobs.play import PlayedRow
from weir.preview.services.seen_step import SeenStep

MOST: Final = 20

ClosesAt = Callable[[int], int]


def lost_rows(step: SeenStep) -> list[dict[str, Any]]:
    """The first rows that a step took away, in the API's form; only of those that came with the answer.

    Args:
        step: it.
    """
    found = [*_filtered(step), *_late(step)] if step.reference == step.node.name else []
    return found[:MOST]


def _filtered(step: SeenStep) -> Iterator[dict[str, Any]]:
    """Of each batch the input's rows that the filter did not give. The rows that came are the first of both,
    in one order, so an input row that passed is always among those that the filter gave.
    """
    bound = step.node.bound
    if not isinstance(bound, FilterBound) or step.plan.relation(step.reference).kind != "append":
        return
    read = sorted(bound.where.fields)
    for batch in step.totals.batches:
        if step.reference not in batch.steps or step.node.inputs[0] not in batch.steps:
            continue
        passed = {row.key for row in batch.steps[step.reference].first}
        for row in batch.steps[step.node.inputs[0]].first:
            if row.key not in passed and row.value is not None:
                nulls = [name for name in read if name in row.value and row.value[name] is None]
                why = f"{' and '.join(nulls)} {'is' if len(nulls) == 1 else 'are'} null" if nulls else ""
                yield _shown(row, "filtered", why or "The condition isn't true")


def _late(step: SeenStep) -> Iterator[dict[str, Any]]:
    """Rows that the watermark had passed when they came: of the batch before, which is the one that counts
    (`docs/semantics/watermarks-and-lateness.md#late-and-closed`).
    """
    closes_at = _closes_at(step)
    query = next((query for query in step.plan.queries if step.node.name in query.live), None)
    if closes_at is None or query is None or not step.totals.late:
        return
    for before, batch in pairwise(step.totals.batches):
        watermark = before.watermark_us.get(query.name, 0)
        for name in step.node.inputs:
            for row in batch.steps[name].first if name in batch.steps and name in step.plan.streaming else ():
                if row.at_us is not None and 0 < closes_at(row.at_us) <= watermark:
                    behind = Duration(watermark - closes_at(row.at_us))
                    yield _shown(row, "late", f"The watermark had passed it by {behind}")


def _closes_at(step: SeenStep) -> ClosesAt | None:
    """From when on a row of an event time is late for all it could change; None: never, or not known here."""
    bound = step.node.bound
    if step.node.op == SOURCE or not OPERATORS[step.node.op].drops_late_rows(bound):
        return None
    match bound:
        case AggregateBound(window=WindowSpec(size, advance, offset)):
            kept = size.us + bound.slack.us
            return lambda at: at - (at - offset.us) % advance.us + kept
        case AggregateBound(window=SessionSpec(gap)):
            return lambda at: at + gap.us + bound.slack.us
        case AggregateBound(window=SlidingSpec()) | DeduplicateBound() | JoinBound():
            return lambda at: at + bound.slack.us
        case _:
            return None


def _shown(row: PlayedRow, kind: str, why: str) -> dict[str, Any]:
    at = None if row.at_us is None else instant_text(nearest_instant(row.at_us))
    return {"kind": kind, "why": why, "key": row.key, "value": row.value, "at": at}
