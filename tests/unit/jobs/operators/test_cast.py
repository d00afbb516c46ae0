from typing import Any

import pytest

from tests.support.plan_helpers import FIELDS, found, planned, schema, step_plan


@pytest.mark.parametrize(
    ("name", "to", "given"),
    [
        ("n", "long", "long!"),
        ("n", "string", "string!"),
        ("n", "decimal(12,2)", "decimal(12,2)!"),
        ("n", "decimal(4,2)", "decimal(4,2)"),
        ("id", "int", "int"),
        ("x", "double", "double"),
        ("k", "timestamp", "timestamp"),
        ("price", "decimal( 12 , 2 )", "decimal(12,2)"),
        ("id", "bytes", "bytes!"),
        ("id", "string", "string!"),
    ],
)
def test_types_and_null_rule(name: str, to: str, given: str) -> None:
    plan = step_plan(op="cast", fields={name: to})
    assert plan.problems == ()
    assert schema(plan) == {**FIELDS, name: given}


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        ({"kk": "int"}, "FIELD_UNKNOWN", "fields.kk"),
        ({"k": "integer9"}, "PARAMETER_RANGE", "fields.k"),
        ({"k": "decimal(50,2)"}, "PARAMETER_RANGE", "fields.k"),
        ({"flag": "timestamp"}, "CAST_UNSUPPORTED", "fields.flag"),
        ({"tags": "string"}, "CAST_UNSUPPORTED", "fields.tags"),
        ({"k": "array<string>"}, "CAST_UNSUPPORTED", "fields.k"),
        ({"big": "duration"}, "TYPE_NOT_OUTPUT", "fields.big"),
    ],
)
def test_problems(fields: dict[str, Any], code: str, place: str) -> None:
    assert found(step_plan(op="cast", fields=fields)) == [(code, f"steps.step.{place}")]


def test_jobs_write_no_dead_letters() -> None:
    assert found(step_plan(op="cast", fields={"k": "int"}, on_error="dead_letter")) == [
        ("PARAMETER_RANGE", "steps.step.on_error")
    ]


def test_a_changelog_keeps_its_key() -> None:
    counts = {"op": "aggregate", "input": "s", "by": ["x"], "measures": {"c": "count()"}}
    step = {"op": "cast", "input": "counts", "fields": {"x": "string"}}
    assert ("KEY_LOST", "steps.step.fields.x") in found(planned({"counts": counts, "step": step}))
