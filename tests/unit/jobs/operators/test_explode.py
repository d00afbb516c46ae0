from typing import Any

import pytest

from jobs.base.types import STRING, Array
from jobs.operators.explode import ExplodeBound
from tests.support.plan_helpers import found, only, planned, schema, step_plan

FIELDS = {"a": "int", "tags": "array<string>", "by_day": "map<string,long>", "id": "string!"}


def exploded(**step: Any) -> Any:
    return planned({"step": {"op": "explode", "input": "s", **step}}, fields=FIELDS)


def test_the_element_comes_last_and_identity_gets_a_place() -> None:
    plan = exploded(field="tags", position="at", **{"as": "tag"})
    assert plan.problems == ()
    assert list(schema(plan).items()) == [
        ("a", "int"),
        ("by_day", "map<string,long>"),
        ("id", "string!"),
        ("at", "int!"),
        ("tag", "string"),
    ]
    assert plan.node("step").output.index_depth == 1
    assert plan.node("step").bound == ExplodeBound("tags", ("tag",), Array(STRING), False, "at")


def test_the_element_is_called_as_the_array_unless_told() -> None:
    assert list(schema(exploded(field="tags"))) == ["a", "by_day", "id", "tags"]


@pytest.mark.parametrize(("keep", "key"), [(False, "string!"), (True, "string")])
def test_a_map_gives_key_and_value(keep: bool, key: str) -> None:
    plan = exploded(field="by_day", value="amount", keep_empty=keep)
    assert plan.problems == ()
    assert list(schema(plan).items())[-2:] == [("key", key), ("amount", "long")]


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"field": "tag"}, "FIELD_UNKNOWN", "field"),
        ({"field": "a"}, "NOT_EXPLODABLE", "field"),
        ({"field": "tags", "as": "id"}, "NAME_TAKEN", "as"),
        ({"field": "tags", "as": "t", "position": "t"}, "NAME_TAKEN", "as"),
        ({"field": "tags", "as": "_t"}, "NAME_RESERVED", "as"),
        ({"field": "by_day", "as": "t"}, "PARAMETER_RANGE", "as"),
        ({"field": "by_day", "key": "a"}, "NAME_TAKEN", "key"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert found(exploded(**parameters)) == [(code, f"steps.step.{place}")]


@pytest.mark.parametrize(
    ("parameters", "place", "names"),
    [
        ({"field": "tags", "as": "t", "position": "t"}, "as", ("a", "by_day", "id", "t")),
        ({"field": "by_day", "key": "e", "value": "e"}, "value", ("a", "tags", "id", "e")),
    ],
)
def test_a_schema_has_each_name_once_also_where_one_is_taken(
    parameters: dict[str, Any], place: str, names: tuple[str, ...]
) -> None:
    plan = exploded(**parameters)
    assert found(plan) == [("NAME_TAKEN", f"steps.step.{place}")]
    assert plan.node("step").output.schema.names == names


def test_a_changelog_cannot_be_exploded() -> None:
    steps = {
        "lists": {"op": "aggregate", "input": "s", "measures": {"all": "collect_list(k)"}},
        "step": {"op": "explode", "input": "lists", "field": "all"},
    }
    assert only(planned(steps)).code == "KIND_MISMATCH"
    assert step_plan(op="explode", field="tags").ok
