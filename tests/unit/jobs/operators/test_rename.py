from typing import Any

import pytest

from tests.support.plan_helpers import FIELDS, found, planned, schema, step_plan


def test_names_change_at_once_and_places_stay() -> None:
    plan = step_plan(op="rename", fields={"k": "x", "x": "k", "id": "name"})
    assert plan.problems == ()
    assert list(schema(plan)) == [{"k": "x", "x": "k", "id": "name"}.get(name, name) for name in FIELDS]
    assert (schema(plan)["x"], schema(plan)["k"], schema(plan)["name"]) == ("string", "int", "string!")


def test_the_key_of_a_changelog_is_renamed() -> None:
    counts = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"c": "count()"}}
    plan = planned({"counts": counts, "step": {"op": "rename", "input": "counts", "fields": {"k": "word"}}})
    assert plan.ok
    assert (plan.node("step").output.kind, plan.node("step").output.identity) == ("upsert", ("word",))


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        ({"kk": "a"}, "FIELD_UNKNOWN", "kk"),
        ({"k": "x"}, "NAME_TAKEN", "k"),
        ({"k": "a", "x": "a"}, "NAME_TAKEN", "x"),
        ({"k": "_a"}, "NAME_RESERVED", "k"),
        ({"k": "1"}, "NAME_INVALID", "k"),
    ],
)
def test_problems(fields: dict[str, Any], code: str, place: str) -> None:
    assert found(step_plan(op="rename", fields=fields)) == [(code, f"steps.step.fields.{place}")]
