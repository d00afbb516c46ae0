from typing import Any

import pytest

from jobs.operators.split import SplitBound
from tests.support.plan_helpers import found, planned, schema, step_plan


def test_the_piece_takes_the_place_of_the_text() -> None:
    plan = step_plan(op="split", field="k", lower=True)
    assert plan.problems == ()
    assert "k" not in schema(plan)
    assert list(schema(plan))[-1] == "word"
    assert schema(plan)["word"] == "string!"
    assert plan.node("step").output.index_depth == 1
    assert plan.node("step").bound == SplitBound("k", "word", "words", True)


def test_the_piece_may_be_called_as_the_text_was() -> None:
    assert step_plan(op="split", field="k", **{"as": "k"}).ok


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"field": "kk"}, "FIELD_UNKNOWN", "field"),
        ({"field": "x"}, "TYPE_MISMATCH", "field"),
        ({"field": "k", "as": "x"}, "NAME_TAKEN", "as"),
        ({"field": "k", "as": "_w"}, "NAME_RESERVED", "as"),
        ({"field": "k", "as": "1"}, "NAME_INVALID", "as"),
        ({"field": "k", "by": ""}, "PARAMETER_RANGE", "by"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert found(step_plan(op="split", **parameters)) == [(code, f"steps.step.{place}")]


def test_a_changelog_cannot_be_split() -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "s", "measures": {"last": "last(k)"}},
        "step": {"op": "split", "input": "counts", "field": "last"},
    }
    assert found(planned(steps)) == [("KIND_MISMATCH", "steps.step.input")]
