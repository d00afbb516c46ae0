"""Every operator with state, stopped in the middle and once killed between batches, ends with the content that it has without."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.operators import OPERATORS
from tests.oracle.cases import Case, load_cases
from tests.support.played_case import can_be_restarted, play_with_restarts

pytestmark = pytest.mark.integration

IN_EVERY_RUN = ("6.7 with final results", "6.6 left join, when the null row appears")
CASES = [case for case in load_cases() if can_be_restarted(case)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.title, marks=[] if case.title in IN_EVERY_RUN else [pytest.mark.long]) for case in CASES]
)
def test_a_restart_changes_nothing(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    assert play_with_restarts(spark, tmp_path, case) == []


def test_every_operator_with_state_is_among_them() -> None:
    used = {step["op"] for case in CASES for step in json.loads(case.document)["steps"].values()}
    assert {name for name, row in OPERATORS.items() if row.stateful} <= used
