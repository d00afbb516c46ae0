"""Every operator with state, stopped in the middle and once killed between batches, ends with the content that it has without."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.plan import plan_job
from tests.oracle.cases import Case, all_differences, load_cases
from tests.support.played_document import PlayedDocument

pytestmark = pytest.mark.integration

IN_EVERY_RUN = ("6.7 with final results", "6.6 left join, when the null row appears")


def has_state(case: Case) -> bool:
    plan = plan_job(case.document, {name: StreamContract.model_validate(written) for name, written in case.contracts.items()})
    return plan.ok and any(node.state.kind != "none" for node in plan.live_nodes)


CASES = [case for case in load_cases() if len(case.batches) > 1 and has_state(case)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.title, marks=[] if case.title in IN_EVERY_RUN else [pytest.mark.long]) for case in CASES]
)
def test_a_restart_changes_nothing(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    played = PlayedDocument(spark, tmp_path / "played", json.loads(case.document), case.contracts, restarts=True)
    middle = len(case.batches) // 2
    try:
        for number, batch in enumerate(case.batches, 1):
            after = played.batch(batch)
            if number == middle:
                played.kill()
            elif number == middle + 1:
                played.stop()
        assert all_differences(case.expected_after[-1], after, case.approximate) == []
    finally:
        played.stop()


def test_every_operator_with_state_is_among_them() -> None:
    used = {step["op"] for case in CASES for step in json.loads(case.document)["steps"].values()}
    assert {name for name, row in OPERATORS.items() if row.stateful} <= used
