from typing import Any

import pytest

from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.windows import WindowSpec
from tests.support.plan_helpers import found, only, step_plan


def window_plan(**window: Any) -> Any:
    return step_plan(op="aggregate", window=window, measures={"c": "count()"})


def test_hopping() -> None:
    bound = window_plan(hopping={"size": "5s", "advance": "2s", "offset": "500ms"}).node("step").bound
    assert isinstance(bound, AggregateBound)
    assert isinstance(bound.window, WindowSpec)
    assert (bound.window.size.us, bound.window.advance.us, bound.window.offset.us) == (
        5_000_000,
        2_000_000,
        500_000,
    )
    assert bound.window.fanout == 3


@pytest.mark.parametrize(
    ("window", "place"),
    [
        ({"tumbling": {"size": "0s"}}, "tumbling.size"),
        ({"tumbling": {"size": "999us"}}, "tumbling.size"),
        ({"tumbling": {"size": "367d"}}, "tumbling.size"),
        ({"tumbling": {"size": "-5s"}}, "tumbling.size"),
        ({"tumbling": {"size": "5s", "offset": "5s"}}, "tumbling.offset"),
        ({"tumbling": {"size": "5s", "offset": "-1s"}}, "tumbling.offset"),
        ({"hopping": {"size": "5s", "advance": "6s"}}, "hopping.advance"),
        ({"hopping": {"size": "5s", "advance": "1s", "offset": "1s"}}, "hopping.offset"),
    ],
)
def test_out_of_range(window: dict[str, Any], place: str) -> None:
    assert found(window_plan(**window)) == [("WINDOW_RANGE", f"steps.step.window.{place}")]


def test_a_text_that_is_no_duration() -> None:
    plan = window_plan(hopping={"size": "five", "advance": "1x"})
    assert found(plan) == [
        ("PARAMETER_RANGE", "steps.step.window.hopping.size"),
        ("PARAMETER_RANGE", "steps.step.window.hopping.advance"),
    ]


def test_fanout() -> None:
    assert found(window_plan(hopping={"size": "100s", "advance": "1s"})) == []
    assert only(window_plan(hopping={"size": "101s", "advance": "1s"})).severity == "warning"
    error = only(window_plan(hopping={"size": "1001s", "advance": "1s"}))
    assert (error.code, error.severity) == ("WINDOW_FANOUT", "error")


@pytest.mark.parametrize(
    "window",
    [
        {},
        {"tumbling": {"size": "1s"}, "hopping": {"size": "2s", "advance": "1s"}},
        {"session": {"gap": "1s"}, "calendar": {"unit": "day", "zone": "UTC"}},
    ],
)
def test_exactly_one_kind(window: dict[str, Any]) -> None:
    assert ("PARAMETER_RANGE", "steps.step.window") in found(window_plan(**window))


def test_a_kind_that_does_not_exist() -> None:
    problem = window_plan(jumping={"size": "1s"}).problems[0]
    assert (problem.code, problem.path) == ("PARAMETER_RANGE", ("steps", "step", "window", "jumping"))


def test_none_is_no_window() -> None:
    plan = step_plan(op="aggregate", window="none", measures={"c": "count()"})
    assert plan.problems == ()
    assert not plan.node("step").output.windowed
