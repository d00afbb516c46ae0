import pytest

from jobs.operators.filter_bound import FilterBound
from tests.support.plan_helpers import FIELDS, found, only, planned, schema, step_plan


def test_schema_kind_and_nullability_stay() -> None:
    plan = step_plan(op="filter", where="x > 0")
    assert plan.problems == ()
    assert schema(plan) == FIELDS
    assert plan.node("step").output.kind == "append"
    bound = plan.node("step").bound
    assert isinstance(bound, FilterBound)
    assert bound.where.fields == {"x"}


def test_over_a_changelog_it_stays_a_changelog() -> None:
    plan = planned(
        {
            "counts": {
                "op": "aggregate",
                "input": "s",
                "window": {"tumbling": {"size": "10s"}},
                "by": ["k"],
                "measures": {"c": "count()"},
            },
            "step": {"op": "filter", "input": "counts", "where": "c > 3"},
        }
    )
    assert plan.ok
    output = plan.node("step").output
    assert (output.kind, output.identity, output.windowed) == (
        "upsert",
        ("window_start", "window_end", "k"),
        True,
    )


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("xx > 0", "FIELD_UNKNOWN"),
        ("x", "TYPE_MISMATCH"),
        ("x >", "EXPRESSION_INVALID"),
        ("soundex9(k) = 'a'", "FUNCTION_UNKNOWN"),
        ("rand() > 0.5", "NONDETERMINISTIC"),
    ],
)
def test_problems_of_the_condition_stand_at_it(where: str, code: str) -> None:
    assert found(step_plan(op="filter", where=where)) == [(code, "steps.step.where")]


def test_a_constant_condition_warns() -> None:
    plan = step_plan(op="filter", where=True)
    assert only(plan).code == "CONSTANT_CONDITION"
    assert only(plan).severity == "warning"
    assert plan.ok


def test_system_fields_are_readable_until_an_aggregate() -> None:
    assert step_plan(
        op="filter", where="_time > timestamp '2026-01-01T00:00:00Z' and _offset > 5 and _source = 's'"
    ).ok
    after = {
        "windowed": {
            "op": "aggregate",
            "input": "s",
            "window": {"tumbling": {"size": "10s"}},
            "measures": {"c": "count()"},
        },
        "step": {
            "op": "filter",
            "input": "windowed",
            "where": "_time > timestamp '2026-01-01T00:00:00Z' and _offset > 5",
        },
    }
    assert found(planned(after)) == [("FIELD_UNKNOWN", "steps.step.where")]
    after["step"]["where"] = "_time > timestamp '2026-01-01T00:00:00Z'"
    assert planned(after).ok
    after["windowed"].pop("window")
    assert found(planned(after)) == [("FIELD_UNKNOWN", "steps.step.where")]
