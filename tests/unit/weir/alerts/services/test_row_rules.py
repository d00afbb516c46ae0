"""Which alert a row is about, and which row counts, by the identity of the result."""

from typing import Any

import pytest

from tests.support.plan_helpers import planned
from weir.alerts.services.row_rules import compile_row_rule
from weir.alerts.services.rule_document import RowWatch
from weir.runs.services.planning import result_of

HOURLY = {
    "op": "aggregate",
    "input": "s",
    "by": ["k"],
    "measures": {"n": "count()"},
    "window": {"tumbling": {"size": "1h"}},
}
RENAMED = {"op": "rename", "input": "one", "fields": {"window_start": "hour", "window_end": "until"}}
DEDUPLICATED = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1h"}


def compiled(steps: dict[str, Any], where: str = "n > 1", **more: Any) -> Any:
    plan = planned(steps)
    assert plan.problems == ()
    return compile_row_rule(RowWatch(kind="rows", job="j", where=where, **more), result_of(plan))


@pytest.mark.parametrize(
    ("steps", "by", "order"),
    [
        ({"one": HOURLY}, ("k",), "window_end"),
        ({"one": HOURLY, "two": RENAMED}, ("k",), "until"),
        ({"one": DEDUPLICATED}, (), None),
        ({"one": {"op": "latest", "input": "s", "by": ["k"]}}, ("k",), None),
        (
            {
                "one": {**HOURLY, "emit": "final"},
                "two": {"op": "drop", "input": "one", "fields": ["window_end"]},
            },
            ("k",),
            None,
        ),
    ],
    ids=["window", "renamed bounds", "deduplicate", "latest", "without an end"],
)
def test_alerts_are_told_apart_by_the_identity_without_its_window(
    steps: dict[str, Any], by: tuple[str, ...], order: str | None
) -> None:
    rule, problems = compiled(steps)
    assert (problems, rule.by, rule.order) == ([], by, order)


def test_a_key_that_the_result_has_not_is_a_problem_and_other_fields_may_be_named() -> None:
    lost = {"one": {**HOURLY, "emit": "final"}, "two": {"op": "drop", "input": "one", "fields": ["k"]}}
    rule, problems = compiled(lost)
    assert rule is None
    assert [(each.code, each.path) for each in problems] == [("FIELD_UNKNOWN", ("watch", "by"))]
    assert problems[0].message == "The result has no field 'k', which tells its rows apart."
    rule, problems = compiled(lost, by=["window_start"])
    assert (problems, rule.by) == ([], ("window_start",))


def test_a_field_that_is_named_and_is_none_is_a_problem_of_its_place() -> None:
    rule, problems = compiled({"one": HOURLY}, by=["k", "gone"])
    assert rule is None
    assert [each.path for each in problems] == [("watch", "by", "1")]
