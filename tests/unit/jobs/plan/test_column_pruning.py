from typing import Any

from jobs.plan import SourceBound, plan_job
from tests.support.plan_helpers import FIELDS, contract, document, planned


def used(steps: dict[str, Any], **more: Any) -> tuple[str, ...]:
    bound = plan_job(document(steps), {"s": contract(**more)}).node("s").bound
    assert isinstance(bound, SourceBound)
    return bound.used_fields


def test_only_what_is_read_and_what_is_required() -> None:
    steps = {
        "kept": {"op": "filter", "input": "s", "where": "flag"},
        "more": {"op": "derive", "input": "kept", "fields": {"twice": "x * 2", "unread": "big"}},
        "sums": {
            "op": "aggregate",
            "input": "more",
            "by": ["k"],
            "measures": {"t": "sum(twice) where y > 0"},
        },
    }
    assert used(steps) == ("k", "x", "y", "flag", "id", "n")


def test_a_column_that_can_fail_counts_its_errors_and_so_is_read() -> None:
    steps = {
        "more": {"op": "derive", "input": "s", "fields": {"share": "big / x"}},
        "counts": {"op": "aggregate", "input": "more", "measures": {"c": "count()"}},
    }
    assert used(steps) == ("x", "big", "id", "n")


def test_the_event_time_field_is_read() -> None:
    steps = {"counts": {"op": "aggregate", "input": "s", "measures": {"c": "count()"}}}
    assert used(steps, event_time={"kind": "field", "field": "at"}) == ("at", "id", "n")
    corrected = {
        "kind": "corrected",
        "device": {"field": "at", "unit": "ms"},
        "sent": {"field": "x", "unit": "ms"},
    }
    assert set(used(steps, event_time=corrected)) == {"at", "x", "id", "n"}


def test_a_result_of_rows_reads_all() -> None:
    assert used({"kept": {"op": "filter", "input": "s", "where": "x > 0"}}) == tuple(FIELDS)


def test_select_and_split() -> None:
    steps = {
        "some": {"op": "select", "input": "s", "fields": {"text": "k", "x": "x"}},
        "words": {"op": "split", "input": "some", "field": "text"},
        "counts": {"op": "aggregate", "input": "words", "by": ["word"], "measures": {"c": "count()"}},
    }
    assert used(steps) == ("k", "id", "n")


def test_unread_computed_fields_warn() -> None:
    plan = planned(
        {
            "more": {"op": "derive", "input": "s", "fields": {"a": "x", "b": "x + 1"}},
            "sums": {"op": "aggregate", "input": "more", "measures": {"t": "sum(a)", "u": "count()"}},
            "some": {"op": "select", "input": "sums", "fields": ["t"]},
        }
    )
    assert [(p.code, p.path) for p in plan.problems] == [
        ("FIELD_UNUSED", ("steps", "more", "fields", "b")),
        ("FIELD_UNUSED", ("steps", "sums", "measures", "u")),
    ]
    assert plan.ok
