from typing import Any

import pytest

from tests.support.plan_helpers import found, planned, schema, step_plan


def test_a_list_keeps_names_in_its_order() -> None:
    assert schema(step_plan(op="select", fields=["n", "k"])) == {"n": "int!", "k": "string"}


def test_a_map_names_expressions() -> None:
    plan = step_plan(op="select", fields={"total": "x * 2", "id": "id", "one": 1})
    assert plan.problems == ()
    assert schema(plan) == {"total": "int", "id": "string!", "one": "int!"}


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        ([], "EMPTY_SCHEMA", "fields"),
        ({}, "EMPTY_SCHEMA", "fields"),
        (["k", "kk"], "FIELD_UNKNOWN", "fields.1"),
        (["k", "k"], "NAME_TAKEN", "fields.1"),
        (["_time"], "NAME_RESERVED", "fields.0"),
        ({"_t": "_time"}, "NAME_RESERVED", "fields._t"),
        ({"t": "_time - at"}, "TYPE_NOT_OUTPUT", "fields.t"),
    ],
)
def test_problems(fields: Any, code: str, place: str) -> None:
    assert (code, f"steps.step.{place}") in found(step_plan(op="select", fields=fields))


def test_a_changelog_keeps_its_key() -> None:
    steps: dict[str, Any] = {
        "counts": {"op": "aggregate", "input": "s", "by": ["k", "id"], "measures": {"c": "count()"}},
        "step": {"op": "select", "input": "counts", "fields": {"k": "k", "name": "id"}},
    }
    assert found(planned(steps))[-1:] == [("KEY_LOST", "steps.step.fields")]
    steps["step"]["fields"] = ["c", "id", "k"]
    assert planned(steps).ok


def test_wide_rows_are_refused() -> None:
    wide = {f"f{i}": "x" for i in range(500)}
    assert step_plan(op="select", fields=wide).ok
    more = planned(
        {
            "wide": {"op": "select", "input": "s", "fields": wide},
            "step": {"op": "derive", "input": "wide", "fields": {"one": "1"}},
        }
    )
    assert found(more) == [("PARAMETER_RANGE", "steps.step")]
