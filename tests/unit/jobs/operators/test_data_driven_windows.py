from typing import Any

import pytest

from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from tests.support.plan_helpers import found, step_plan


def window_plan(**window: Any) -> Any:
    return step_plan(op="aggregate", window=window, measures={"c": "count()"})


def test_a_session_and_a_sliding_window() -> None:
    session, sliding = (
        window_plan(session={"gap": "5m"}).node("step").bound,
        window_plan(sliding={"size": "1h"}).node("step").bound,
    )
    assert isinstance(session, AggregateBound)
    assert isinstance(session.window, SessionSpec)
    assert session.window.gap.us == 300_000_000
    assert isinstance(sliding, AggregateBound)
    assert isinstance(sliding.window, SlidingSpec)
    assert sliding.window.size.us == 3_600_000_000


@pytest.mark.parametrize(
    ("window", "place"),
    [
        ({"session": {"gap": "0s"}}, "session.gap"),
        ({"session": {"gap": "169h"}}, "session.gap"),
        ({"sliding": {"size": "-1s"}}, "sliding.size"),
        ({"sliding": {"size": "367d"}}, "sliding.size"),
    ],
)
def test_out_of_range(window: dict[str, Any], place: str) -> None:
    assert found(window_plan(**window)) == [("WINDOW_RANGE", f"steps.step.window.{place}")]


def test_gap_and_size_must_be_written() -> None:
    assert ("PARAMETER_MISSING", "steps.step.window.session.gap") in found(window_plan(session={}))
    assert ("PARAMETER_MISSING", "steps.step.window.sliding.size") in found(window_plan(sliding={}))
