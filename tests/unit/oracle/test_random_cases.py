"""Random cases are valid: accepted by the check, with an order-insensitive answer independent of batches."""

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.oracle.answers import any_order
from tests.oracle.cases import Case, all_differences
from tests.oracle.random_cases import cases
from tests.oracle.values import Undecided, as_json

pytestmark = pytest.mark.thorough

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
DRAWN = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=CHECKS, phases=[Phase.generate]
)


@DRAWN
@given(case=cases())
def test_documents_pass_the_check(case: Case) -> None:
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    plan = plan_job(case.document, contracts)
    assert plan.ok, plan.problems


@DRAWN
@given(case=cases())
def test_batches_do_not_change_the_order_insensitive_answer(case: Case) -> None:
    sources = {name for batch in case.batches for name in batch}
    at_once = {name: [record for batch in case.batches for record in batch.get(name, [])] for name in sources}
    try:
        one, other = (
            any_order(case.document, case.contracts, batches) for batches in (case.batches, [at_once])
        )
    except Undecided:
        assume(False)
    shown = [
        {name: {key: as_json(row) for key, row in content.items()} for name, content in found.items()}
        for found in (one, other)
    ]
    # The survivor of equal rows depends on which came first, and what a table says on when it is asked.
    if '"deduplicate"' not in case.document and '"current"' not in case.document:
        assert all_differences(shown[0], shown[1], case.approximate) == []
