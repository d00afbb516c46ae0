"""Rows that a filter or the watermark took away, with the reason."""

from typing import Any

import pytest

from jobs.plan import Plan
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayResult
from tests.unit.weir.diagnosis.services.made_evidence import (
    BOTH,
    FILTER,
    SECOND,
    UPDATES,
    WINDOW,
    planned,
)
from weir.preview.services.lost_rows import MOST, lost_rows
from weir.preview.services.play_totals import PlayTotals
from weir.preview.services.seen_step import SeenStep

AT = 1_767_261_600 * SECOND  # a full hour
DEDUPLICATED = planned("  once: {op: deduplicate, input: orders, by: [id], within: 10s}", "once")
JOIN = planned(
    "  paid: {op: join, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)


def row(key: str, at: float = 0, **value: Any) -> PlayedRow:
    return PlayedRow(key=key, value={"status": "OPEN", **value}, at_us=AT + int(at * SECOND))


def rows(*found: PlayedRow) -> PlayedRows:
    return PlayedRows(rows=len(found), first=found)


def lost(plan: Plan, name: str, *batches: PlayedBatch) -> list[tuple[str, str, str]]:
    step = SeenStep(plan, plan.node(name), name, PlayTotals(PlayResult(batches=batches)))
    return [(each["key"], each["kind"], each["why"]) for each in lost_rows(step)]


def test_a_filter_shows_what_it_took_away_batch_by_batch() -> None:
    first = PlayedBatch(
        steps={"orders": rows(row("a"), row("b"), row("c", status=None)), "big": rows(row("b"))}
    )
    second = PlayedBatch(steps={"orders": rows(row("d")), "big": rows()})
    assert lost(FILTER, "big", first, second) == [
        ("a", "filtered", "The condition isn't true"),
        ("c", "filtered", "status is null"),
        ("d", "filtered", "The condition isn't true"),
    ]


def test_only_so_many_are_shown() -> None:
    many = PlayedBatch(steps={"orders": rows(*(row(str(at)) for at in range(100))), "big": rows()})
    assert len(lost(FILTER, "big", many)) == MOST


@pytest.mark.parametrize(
    ("plan", "name", "found"),
    [
        (UPDATES, "n", ["59.9"]),  # the window of 10:00 ends at 10:01
        (WINDOW, "n", []),  # that of 10:00 ends at 11:00
        (DEDUPLICATED, "once", ["59.9", "60"]),
        (JOIN, "paid", ["59.9", "60"]),
    ],
)
def test_late_rows_are_those_that_the_watermark_of_the_batch_before_has_passed(
    plan: Plan, name: str, found: list[str]
) -> None:
    (query,) = plan.queries
    watermark = {query.name: AT + 60 * SECOND}
    given = rows(row("59.9", 59.9), row("60", 60), row("60.1", 60.1))
    early = PlayedBatch(steps={"orders": given})  # no watermark had passed them then
    empty = PlayedBatch(watermark_us=watermark)
    late = PlayedBatch(steps={"orders": given}, late=1, watermark_us={query.name: AT + 999 * SECOND})
    assert [key for key, kind, _ in lost(plan, name, early, empty, late) if kind == "late"] == found
    assert lost(plan, name, early, empty, late.model_copy(update={"late": 0})) == []


def test_a_late_row_says_by_how_much() -> None:
    (query,) = DEDUPLICATED.queries
    empty = PlayedBatch(watermark_us={query.name: AT + 60 * SECOND})
    late = PlayedBatch(steps={"orders": rows(row("a", 57.5))}, late=1)
    assert lost(DEDUPLICATED, "once", empty, late) == [
        ("a", "late", "The watermark had passed it by 2s500ms")
    ]


def test_a_row_whose_window_ends_after_the_year_9999_is_shown() -> None:
    far = PlayedRow(key="a", value={"status": "OPEN"}, at_us=253_402_300_800_000_000)
    batch = PlayedBatch(steps={"orders": rows(far), "big": rows()})
    step = SeenStep(FILTER, FILTER.node("big"), "big", PlayTotals(PlayResult(batches=(batch,))))
    assert [found["at"] for found in lost_rows(step)] == ["9999-12-31T23:59:59.999999Z"]
