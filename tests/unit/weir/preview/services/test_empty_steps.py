"""A step without rows says the cause that is known, and no other."""

from typing import Any

import pytest

from jobs.plan import Plan
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayRecord, PlayResult
from tests.unit.weir.diagnosis.services.made_evidence import (
    AS_OF,
    BOTH,
    BRANCH,
    CONDITION,
    EXPLODE,
    FILTER,
    JOIN,
    LATE,
    SECOND,
    TABLE,
    UPDATES,
    WINDOW,
    planned,
)
from weir.preview.services.empty_joins import unmatched
from weir.preview.services.empty_steps import UNKNOWN, why_empty, why_source_empty
from weir.preview.services.play_totals import PlayTotals
from weir.preview.services.samples import Sample
from weir.preview.services.seen_step import SeenStep

AT = 1_767_261_600 * SECOND
LEFT_JOIN = planned(
    "  paid: {op: join, type: left, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)
ANTI_JOIN = planned(
    "  paid: {op: join, type: anti, left: orders, right: payments, on: {id: order_id}, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)
DEDUPLICATED = planned("  once: {op: deduplicate, input: orders, by: [id], within: 10s}", "once")
HOPPING = planned(
    "  n: {op: aggregate, input: orders, window: {hopping: {size: 1h, advance: 10m}}, emit: final, "
    "measures: {n: count()}}",
    "n",
)
CHANGED = planned(
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1m}}, measures: {n: count()}}\n"
    "  more: {op: change, input: n, of: [n]}",
    "more",
)
BROADCAST = planned(
    "  named: {op: table_join, input: orders, table: customers, on: {id: id}, prefix: c_, broadcast: {}}",
    "named",
    "orders: {stream: orders}\n  customers: {table: customers}",
)


def rows(*keys: Any, name: str = "id", at_us: int = AT, more: int = 0) -> PlayedRows:
    first = tuple(PlayedRow(key=f'["{key}"]', value={name: key}, at_us=at_us) for key in keys)
    return PlayedRows(rows=len(keys) + more, first=first, truncated=more > 0)


def why(plan: Plan, reference: str, steps: dict[str, PlayedRows], **batch: Any) -> str:
    played = PlayedBatch(steps={reference: PlayedRows(), **steps}, **batch)
    totals = PlayTotals(PlayResult(batches=(played,)))
    return why_empty(plan, plan.node(reference.partition(".")[0]), reference, totals)


ORDERS = {"orders": rows("a", "b", "c")}


def joined(plan: Plan, left: PlayedRows, right: PlayedRows, **batch: Any) -> str:
    return why(plan, "paid", {"orders": left, "payments": right}, **batch)


def payments(*keys: Any, **more: Any) -> PlayedRows:
    return rows(*keys, name="order_id", **more)


@pytest.mark.parametrize(
    ("plan", "reference", "batch", "text"),
    [
        (FILTER, "big", {}, "The condition was true for none of the rows."),
        (FILTER, "big", {"nulls_by_expression": {"big": {"where": 2}}}, "In 2 of them it is null because"),
        (EXPLODE, "each", {}, "items is empty or null in every row"),
        (BRANCH, "routed.open", {}, "No row met the condition of open"),
        (WINDOW, "n", {}, "No window has closed yet"),
        (WINDOW, "n", {"late": 3, "late_by_step": {"n": 3}}, "Every row was late"),
        (WINDOW, "n", {"late": 1, "late_by_step": {"n": 1}}, "Rows may have been late"),
        (HOPPING, "n", {"late": 3, "late_by_step": {"n": 3}}, "No window has closed yet"),
        (HOPPING, "n", {"late": 3, "late_by_step": {"n": 3}}, "Rows may have been late"),
        (HOPPING, "n", {"late": 3, "late_by_step": {"n": 3}, "keyless": {"n": 3}}, "has a null in its key"),
        (LATE, "n.late", {}, "No row was late."),
        (UPDATES, "n", {}, UNKNOWN),
        (DEDUPLICATED, "once", {"late": 3, "late_by_step": {"once": 3}}, "Every row was late"),
        (DEDUPLICATED, "once", {}, UNKNOWN),
    ],
)
def test_the_cause_is_that_of_the_operator(
    plan: Plan, reference: str, batch: dict[str, Any], text: str
) -> None:
    assert text in why(plan, reference, ORDERS, **batch)


def test_without_rows_in_nothing_else_is_looked_for() -> None:
    assert why(FILTER, "big", {"orders": PlayedRows()}) == "Nothing came in."
    assert joined(JOIN, PlayedRows(), PlayedRows()) == "Nothing came in from any input."
    assert joined(JOIN, rows("a"), PlayedRows()).startswith("payments gave no rows")


def test_a_step_that_is_not_seen_is_not_judged() -> None:
    totals = PlayTotals(PlayResult(batches=(PlayedBatch(steps=ORDERS),)))
    assert "computes this one too" in why_empty(CHANGED, CHANGED.node("n"), "n", totals)
    assert "read when the job starts" in why_empty(
        BROADCAST, BROADCAST.node("customers"), "customers", totals
    )
    ended = PlayTotals(PlayResult())
    assert why_empty(FILTER, FILTER.node("big"), "big", ended) == "The preview ended before this step."


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        (rows("a", "b"), payments("x"), "No key of orders ('a', 'b') is among those of payments ('x')."),
        (rows("a", "b", more=9), payments("x"), "Of the rows that are shown, no key of orders"),
        (
            rows("a-1", "b"),
            payments("A-1"),
            "they differ in upper and lower case, for example 'a-1' and 'A-1'",
        ),
        (rows("17", "18"), payments("PAY-a"), "Keys of orders are numbers, those of payments are texts"),
        (rows(None, None), payments("a"), "The key (id) is null in every row of orders"),
        (
            rows("a"),
            payments("a", at_us=AT - 11 * SECOND),
            "nearest two by 11s, the right one earlier. The join allows 10s before to 1m after.",
        ),
        (rows("a"), payments("a"), "No row matched. The preview doesn't show why."),
    ],
)
def test_a_join_compares_its_keys_and_times(left: PlayedRows, right: PlayedRows, text: str) -> None:
    assert text in joined(JOIN, left, right)


def test_a_condition_is_the_cause_only_where_every_row_is_seen_and_none_was_late() -> None:
    assert "p_at > at is true for no pair" in joined(CONDITION, rows("a"), payments("a"))
    late = joined(CONDITION, rows("a"), payments("a"), late=1)
    assert "true for no pair" not in late
    assert "may have been late" in late


def test_rows_of_an_outer_join_without_a_match_wait() -> None:
    assert joined(LEFT_JOIN, rows("a"), payments("x")).endswith(
        "once the watermark shows that none can come."
    )
    assert "Until now 1 of 2 rows have a match" in joined(ANTI_JOIN, rows("a", "b"), payments("a"))


def test_a_join_with_a_table() -> None:
    def of(plan: Plan, table: PlayedRows | None) -> str:
        return why(plan, "named", ORDERS | ({"customers": table} if table is not None else {}))

    assert of(TABLE, PlayedRows()) == "customers gave no rows, so no row has an entry."
    assert "No key of orders" in of(TABLE, rows("x"))
    assert "a row sees the table as it is when it arrives" in of(TABLE, rows("a"))
    assert "whose rows are read when the job starts" in of(BROADCAST, None)
    assert of(AS_OF, rows("a")).startswith("Rows wait until the watermark has passed them")


def test_rows_without_a_partner_are_counted_only_where_all_rows_are_seen() -> None:
    def alone(plan: Plan, name: str, left: PlayedRows, right: dict[str, PlayedRows], out: int) -> int | None:
        totals = PlayTotals(PlayResult(batches=(PlayedBatch(steps={"orders": left, **right}),)))
        return unmatched(SeenStep(plan, plan.node(name), name, totals), out)

    assert alone(JOIN, "paid", rows("a", "b", None), {"payments": payments("a", "a")}, 2) == 2
    assert alone(JOIN, "paid", rows("a", more=1), {"payments": payments("a")}, 1) is None
    assert alone(CONDITION, "paid", rows("a"), {"payments": payments("a")}, 1) is None
    assert alone(TABLE, "named", rows("a", "b"), {"customers": rows("a")}, 1) == 1


def test_a_source_says_what_was_read_of_it() -> None:
    assert why_source_empty(Sample((), "The topic is empty."), 0, 0) == "The topic is empty."
    read = Sample((PlayRecord(timestamp_us=1),))
    assert "None of the records became a row" in why_source_empty(read, 1, 1)
    assert why_source_empty(read, 1, 0) == "The records are heartbeats, or events without a row."
    assert why_source_empty(read, 0, 0) == "The preview ended before this step."
