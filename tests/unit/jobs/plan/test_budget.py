"""What the check of one document may cost."""

import json
import time

import pytest

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.expressions.interpreter import condition
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.support.hostile_documents import DOCUMENTS, derived
from tests.support.run_factories import CONTRACT

CATALOG = {"trades": StreamContract.model_validate(CONTRACT)}
SECONDS = 4.0  # of processor time; some 1.5 s where nothing else runs


@pytest.mark.thorough
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_hostile_document_is_checked_in_bounded_time(name: str) -> None:
    began = time.thread_time()
    plan = plan_job(DOCUMENTS[name], CATALOG)
    assert time.thread_time() - began < SECONDS
    large = [found for found in plan.problems if found.code == "DOCUMENT_TOO_LARGE"]
    assert len(large) <= 1
    for found in large:
        step = found.path[1]
        assert found.path[0] == "steps"
        assert "split the job in two" in found.hint
        after = list(json.loads(DOCUMENTS[name])["steps"])[
            list(json.loads(DOCUMENTS[name])["steps"]).index(step) + 1 :
        ]
        assert not [other for other in plan.problems if len(other.path) > 2 and other.path[1] in after], (
            "what is below is not checked"
        )


def test_the_step_at_which_a_document_becomes_too_large_is_named() -> None:
    plan = plan_job(DOCUMENTS["long sums"], CATALOG)
    (found,) = [found for found in plan.problems if found.code == "DOCUMENT_TOO_LARGE"]
    assert found.path[0] == "steps"
    assert found.path[1] in json.loads(DOCUMENTS["long sums"])["steps"]
    assert not plan.ok


def test_a_large_honest_document_is_checked() -> None:
    plan = plan_job(derived(100, 10, lambda salt: f"round(price * {salt} / 100, 2)"), CATALOG)
    assert plan.ok, plan.problems[:3]


def test_time_is_bounded_too() -> None:
    plan = plan_job(derived(3, 3, lambda salt: f"price * {salt} + 0.125"), CATALOG, seconds=0.0)
    assert plan.problems[0].code == "DOCUMENT_TOO_LARGE"
    assert plan.problems[0].path == ("steps", "d0")


@pytest.mark.parametrize(
    "text",
    [
        "length(repeat(symbol, 100)) > 1",
        "length(replace(symbol, 'a', symbol)) > 1",
        "length(concat(" + ",".join(["symbol"] * 100) + ")) > 1",
        "size(transform(sequence(1, 1000), x -> x * price)) > 5",
    ],
)
def test_a_condition_over_one_record_is_bounded(text: str) -> None:
    holds, problems = condition(text, CATALOG["trades"].schema_of_rows, ("where",))
    assert holds is not None, problems
    began = time.thread_time()
    with pytest.raises(OverBudget), bounded(Budget(20_000_000 if "sequence" not in text else 500)):
        holds({"symbol": "a" * 1_000_000, "price": 1.0})
    assert time.thread_time() - began < SECONDS
