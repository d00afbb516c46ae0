from typing import Any

import pytest

from jobs.base.durations import Duration
from jobs.operators.throttle import ThrottleBound
from tests.support.plan_helpers import FIELDS, found, planned, schema, step_plan


def throttled(**step: Any) -> Any:
    return step_plan(op="throttle", **{"by": ["k"], "every": "10s", **step})


def test_rows_stay_what_they_are() -> None:
    plan = throttled()
    assert plan.problems == ()
    assert schema(plan) == FIELDS
    output = plan.node("step").output
    assert (output.kind, output.identity_kind, output.slack) == ("append", "row", Duration(0))
    assert plan.node("step").bound == ThrottleBound(("k",), Duration(10_000_000), False, Duration(0))


def test_the_last_row_may_trail_the_watermark_by_an_interval() -> None:
    assert throttled(keep="last").node("step").output.slack == Duration(10_000_000)


def test_rows_are_held_which_needs_micro_batches() -> None:
    assert throttled().mode.reasons == (
        "step holds rows until the watermark passes them, which needs micro-batch mode.",
    )


@pytest.mark.parametrize(
    ("parameters", "code", "path"),
    [
        ({"by": ["kk"]}, "FIELD_UNKNOWN", "by.0"),
        ({"by": ["tags"]}, "KEY_TYPE", "by.0"),
        ({"by": []}, "PARAMETER_RANGE", "by"),
        ({"every": "0s"}, "PARAMETER_RANGE", "every"),
        ({"every": "soon"}, "PARAMETER_RANGE", "every"),
        ({"keep": "any"}, "PARAMETER_RANGE", "keep"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, path: str) -> None:
    assert found(throttled(**parameters))[0] == (code, f"steps.step.{path}")


def test_a_changelog_cannot_be_throttled() -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"c": "count()"}},
        "step": {"op": "throttle", "input": "counts", "by": ["k"], "every": "10s"},
    }
    assert ("KIND_MISMATCH", "steps.step.input") in found(planned(steps))


def test_what_the_state_means() -> None:
    prints = [throttled(), throttled(by=["x"]), throttled(every="11s"), throttled(keep="last")]
    assert len({plan.fingerprint for plan in prints}) == len(prints)
    assert throttled(keep="first").fingerprint == prints[0].fingerprint
