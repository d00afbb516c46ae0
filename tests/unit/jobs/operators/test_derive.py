from typing import Any

import pytest

from jobs.operators.projection import ProjectionBound
from tests.support.plan_helpers import FIELDS, found, planned, schema, step_plan

COUNTS: dict[str, Any] = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"c": "count()"},
}


def test_replaced_fields_keep_their_place_and_new_ones_follow() -> None:
    plan = step_plan(op="derive", fields={"k": "n + 1", "z": "upper(id)", "a": "x"})
    assert plan.problems == ()
    assert list(schema(plan)) == [*FIELDS, "z", "a"]
    assert schema(plan)["z"] == "string!"
    assert schema(plan)["a"] == "int"
    bound = plan.node("step").bound
    assert isinstance(bound, ProjectionBound)
    assert [name for name, _ in bound.columns] == list(schema(plan))


def test_expressions_do_not_see_each_other() -> None:
    assert found(step_plan(op="derive", fields={"a": "x + 1", "b": "a + 1"})) == [
        ("FIELD_UNKNOWN", "steps.step.fields.b")
    ]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("_z", "x", "NAME_RESERVED"),
        ("9z", "x", "NAME_INVALID"),
        ("a b", "x", "NAME_INVALID"),
        ("z", "_time - at", "TYPE_NOT_OUTPUT"),
        ("z", "null", "TYPE_MISMATCH"),
        ("z", "x + ", "EXPRESSION_INVALID"),
    ],
)
def test_problems(name: str, text: str, code: str) -> None:
    plan = step_plan(op="derive", fields={name: text})
    assert (code, f"steps.step.fields.{name}") in found(plan)
    assert not plan.ok


def test_a_changelog_keeps_its_key() -> None:
    steps: dict[str, Any] = {
        "counts": COUNTS,
        "step": {"op": "derive", "input": "counts", "fields": {"k": "upper(k)", "window_end": "window_end"}},
    }
    assert found(planned(steps)) == [("KEY_LOST", "steps.step.fields.k")]
    steps["step"]["fields"] = {"loud": "upper(k)", "k": "k"}
    assert planned(steps).ok


def test_facts_with_a_key_may_drop_it() -> None:
    steps: dict[str, Any] = {
        "counts": {**COUNTS, "emit": "final"},
        "step": {"op": "derive", "input": "counts", "fields": {"k": "upper(k)"}},
    }
    plan = planned(steps)
    assert plan.ok
    assert plan.node("step").output.identity == ("window_start", "window_end", "k")


def test_a_failed_field_is_not_reported_again_below() -> None:
    steps = {
        "first": {"op": "derive", "input": "s", "fields": {"z": "x + nothing"}},
        "second": {"op": "filter", "input": "first", "where": "z > 0"},
        "third": {
            "op": "aggregate",
            "input": "second",
            "by": ["z"],
            "measures": {"t": "sum(z)", "u": "sum(q)"},
        },
    }
    assert [row for row in found(planned(steps)) if row[0] == "FIELD_UNKNOWN"] == [
        ("FIELD_UNKNOWN", "steps.first.fields.z"),
        ("FIELD_UNKNOWN", "steps.third.measures.u"),
    ]
