"""The golden cases that the composer opens as tests."""

from typing import Final

import pytest
import yaml

from jobs.formats.contract import StreamContract
from jobs.job_tests.playable import PlayableTest, playable
from jobs.operators import OPERATORS
from jobs.plan import plan_job
from tests.support.worked_examples import MORE, WorkedExample, worked_examples

EXAMPLES: Final = worked_examples()


def test_every_operator_has_one() -> None:
    assert {name for name, row in OPERATORS.items() if row.example} == EXAMPLES.keys()
    assert all(EXAMPLES.values())
    assert MORE.keys() <= EXAMPLES.keys()


@pytest.mark.parametrize(
    ("operator", "example"),
    [
        pytest.param(operator, example, id=f"{operator}: {example.title}")
        for operator, examples in EXAMPLES.items()
        for example in examples
    ],
)
def test_it_is_a_test_of_its_document(operator: str, example: WorkedExample) -> None:
    contracts = {name: StreamContract.model_validate(one) for name, one in example.streams.items()}
    plan = plan_job(example.document, contracts)
    assert plan.ok, plan.problems
    assert any(node.op == operator for node in plan.live_nodes)
    made = playable(example.test, plan, contracts)
    assert isinstance(made, PlayableTest), made
    assert made.test.expect.outputs
    assert yaml.safe_load(example.test)["batches"][0]["records"]
