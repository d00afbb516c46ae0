from typing import Any

import pytest

from jobs.base.durations import Duration
from jobs.operators.deduplicate import DeduplicateBound
from tests.support.plan_helpers import FIELDS, found, planned, schema, step_plan


def test_identity_is_the_key_and_the_time() -> None:
    plan = step_plan(op="deduplicate", by=["k", "x"], within="10s")
    assert plan.problems == ()
    assert schema(plan) == FIELDS
    output = plan.node("step").output
    assert (output.kind, output.identity, output.identity_kind) == ("append", ("k", "x", "_time"), "key")
    assert plan.node("step").bound == DeduplicateBound(("k", "x"), Duration(10_000_000), Duration(0))


def test_a_hold_needs_micro_batches_and_exact_does_not() -> None:
    held = step_plan(op="deduplicate", by=["k"], within="10s")
    assert (held.mode.mode, held.mode.reasons) == (
        "microbatch",
        ("step keeps keys for a limited time, which needs micro-batch mode.",),
    )
    assert step_plan(op="deduplicate", by=["k"], within="exact").mode.mode == "realtime"


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"by": ["kk"]}, "FIELD_UNKNOWN", "by.0"),
        ({"by": ["k", "k"]}, "NAME_TAKEN", "by.1"),
        ({"by": ["y"]}, "KEY_TYPE", "by.0"),
        ({"by": ["tags"]}, "KEY_TYPE", "by.0"),
        ({"by": []}, "PARAMETER_RANGE", "by"),
        ({"within": "soon"}, "PARAMETER_RANGE", "within"),
        ({"within": "0s"}, "PARAMETER_RANGE", "within"),
        ({"within": "8d"}, "STATE_LARGE", "within"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert found(step_plan(op="deduplicate", **{"by": ["k"], "within": "10s", **parameters}))[0] == (
        code,
        f"steps.step.{place}",
    )


def test_a_changelog_holds_each_key_once_already() -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"c": "count()"}},
        "step": {"op": "deduplicate", "input": "counts", "by": ["k"], "within": "exact"},
    }
    assert ("KIND_MISMATCH", "steps.step.input") in found(planned(steps))


def test_what_the_state_means() -> None:
    def plan(**step: Any) -> Any:
        return step_plan(op="deduplicate", **{"by": ["k"], "within": "10s", **step})

    prints = [plan(), plan(by=["x"]), plan(within="11s"), plan(within="exact")]
    assert len({one.fingerprint for one in prints}) == len(prints)
    assert plan().fingerprint == prints[0].fingerprint


def test_late_rows_flow_out_of_a_port() -> None:
    step = {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact", "late": "dead_letter"}
    late = {"late": {"input": "step.late", "to": {"topic": "late"}}, "out": {"input": "step", "to": "result"}}
    plan = planned({"step": step}, outputs=late)
    assert plan.problems == ()
    assert plan.relation("step.late").schema.names == (*FIELDS, "late_step", "late_watermark", "late_by")
    assert plan.mode.mode == "microbatch"
    assert plan.fingerprint != planned({"step": {**step, "late": "drop"}}).fingerprint
    assert found(planned({"step": step})) == [("PARAMETER_RANGE", "steps.step.late")]
