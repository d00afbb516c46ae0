"""Every golden case with state gives the same where its keys are spread over partitions of state
(`WEIR_SHUFFLE_PARTITIONS`).
"""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.operators import OPERATORS
from tests.oracle.cases import Case, load_cases
from tests.support.spark_case import play

pytestmark = pytest.mark.integration

PARTITIONS = 3
IN_EVERY_RUN = ("6.7 with final results", "current, the table as it is when the row comes")


def _has_state(case: Case) -> bool:
    return any(OPERATORS[step["op"]].stateful for step in json.loads(case.document)["steps"].values())


CASES = [case for case in load_cases() if _has_state(case)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.title, marks=[] if case.title in IN_EVERY_RUN else [pytest.mark.long])
        for case in CASES
    ],
)
def test_more_partitions_change_nothing(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    assert play(spark, tmp_path, case, partitions=PARTITIONS) == []


def test_some_cases_are_in_every_run() -> None:
    assert set(IN_EVERY_RUN) <= {case.title for case in CASES}
