from typing import Any

import pytest

from tests.support.plan_helpers import FIELDS, found, planned, schema, step_plan


def test_the_rest_keeps_its_order() -> None:
    plan = step_plan(op="drop", fields=["tags", "k"])
    assert plan.problems == ()
    assert schema(plan) == {name: type_ for name, type_ in FIELDS.items() if name not in ("k", "tags")}


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        (["kk"], "FIELD_UNKNOWN", ".0"),
        (["k", "k"], "NAME_TAKEN", ".1"),
        (list(FIELDS), "EMPTY_SCHEMA", ""),
        ([], "PARAMETER_RANGE", ""),
    ],
)
def test_problems(fields: list[Any], code: str, place: str) -> None:
    assert found(step_plan(op="drop", fields=fields))[0] == (code, f"steps.step.fields{place}")


def test_a_changelog_keeps_its_key() -> None:
    counts = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"c": "count()", "d": "count()"}}
    step = {"op": "drop", "input": "counts", "fields": ["k"]}
    assert ("KEY_LOST", "steps.step.fields") in found(planned({"counts": counts, "step": step}))
    step["fields"] = ["d"]  # type: ignore[assignment]
    assert planned({"counts": counts, "step": step}).ok
