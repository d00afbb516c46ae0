import pytest

from jobs.operators.sample import SampleBound
from jobs.plan import plan_job
from tests.support.plan_helpers import FIELDS, contract, found, planned, schema, step_plan


def test_rows_stay_as_they_are() -> None:
    plan = step_plan(op="sample", fraction=0.1)
    assert plan.problems == ()
    assert schema(plan) == FIELDS


def test_a_changelog_stays_one() -> None:
    counts = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"c": "count()"}}
    plan = planned({"counts": counts, "step": {"op": "sample", "input": "counts", "fraction": 1}})
    assert plan.ok
    assert plan.node("step").output.identity == ("k",)


def test_a_share_of_many_digits_is_a_number() -> None:
    text = (
        "{format: 1, name: t, sources: {s: {stream: s}}, outputs: {o: {input: some, to: result}},"
        " steps: {some: {op: sample, input: s, fraction: 0.30000000000000001}}}"
    )
    plan = plan_job(text, {"s": contract()})
    assert plan.ok, plan.problems
    assert plan.node("some").bound == SampleBound(0.3)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, float("nan")])
def test_a_share_is_more_than_nothing_and_at_most_all(fraction: float) -> None:
    assert found(step_plan(op="sample", fraction=fraction)) == [("PARAMETER_RANGE", "steps.step.fraction")]
