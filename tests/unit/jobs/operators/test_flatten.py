from typing import Any

import pytest

from tests.support.plan_helpers import found, planned, schema

FIELDS = {"a": "int", "at": "struct<lat:double,lon:double>", "at_lat": "int", "id": "string!"}


def flattened(**step: Any) -> Any:
    return planned({"step": {"op": "flatten", "input": "s", **step}}, fields=FIELDS)


def test_parts_stand_where_the_struct_stood() -> None:
    plan = flattened(field="at", prefix="")
    assert plan.problems == ()
    assert list(schema(plan).items()) == [
        ("a", "int"),
        ("lat", "double"),
        ("lon", "double"),
        ("at_lat", "int"),
        ("id", "string!"),
    ]


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"field": "att"}, "FIELD_UNKNOWN", "field"),
        ({"field": "a"}, "TYPE_MISMATCH", "field"),
        ({"field": "at"}, "NAME_TAKEN", "prefix"),
        ({"field": "at", "prefix": "_"}, "NAME_RESERVED", "prefix"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert (code, f"steps.step.{place}") in found(flattened(**parameters))


def test_a_schema_has_each_name_once_also_where_one_is_taken() -> None:
    plan = planned(
        {"step": {"op": "flatten", "input": "s", "field": "customer", "prefix": ""}},
        fields={"id": "int", "customer": "struct<id:string,name:string>"},
    )
    assert found(plan) == [("NAME_TAKEN", "steps.step.prefix")]
    assert plan.node("step").output.schema.names == ("id", "name")
