from typing import Any

import pytest

from jobs.operators.aggregate import AggregateBound
from tests.support.planned import found, only, step_plan


def window_plan(**window: Any) -> Any:
    return step_plan(op="aggregate", window=window, measures={"c": "count()"})


def test_hopping() -> None:
    bound = window_plan(hopping={"size": "5s", "advance": "2s", "offset": "500ms"}).node("step").bound
    assert isinstance(bound, AggregateBound)
    assert bound.window is not None
    assert (bound.window.size.us, bound.window.advance.us, bound.window.offset.us) == (5_000_000, 2_000_000, 500_000)
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
    assert found(plan) == [("PARAMETER_RANGE", "steps.step.window.hopping.size"), ("PARAMETER_RANGE", "steps.step.window.hopping.advance")]


def test_fanout() -> None:
    assert found(window_plan(hopping={"size": "100s", "advance": "1s"})) == []
    assert only(window_plan(hopping={"size": "101s", "advance": "1s"})).severity == "warning"
    error = only(window_plan(hopping={"size": "1001s", "advance": "1s"}))
    assert (error.code, error.severity) == ("WINDOW_FANOUT", "error")


@pytest.mark.parametrize("window", [{}, {"tumbling": {"size": "1s"}, "hopping": {"size": "2s", "advance": "1s"}}])
def test_exactly_one_kind(window: dict[str, Any]) -> None:
    assert ("PARAMETER_RANGE", "steps.step.window") in found(window_plan(**window))


@pytest.mark.parametrize("kind", ["session", "sliding", "calendar"])
def test_windows_that_come_later_say_so(kind: str) -> None:
    plan = window_plan(**{kind: {"gap": "1m"}})
    problem = next(p for p in plan.problems if p.path[-1] == kind)
    assert "come later" in problem.message


def test_none_is_no_window() -> None:
    plan = step_plan(op="aggregate", window="none", measures={"c": "count()"})
    assert plan.problems == ()
    assert not plan.node("step").output.windowed
