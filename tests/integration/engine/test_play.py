"""Plays of golden cases: the rows that the engine writes, and that the oracle expects, after each batch."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.oracle.cases import Case, load_cases
from tests.support.played_case import play_differences
from tests.support.spark_case import SIDE_BY_SIDE

pytestmark = pytest.mark.integration

CASES = load_cases()


def in_every_run(case: Case) -> bool:
    """The contract's worked examples run with every change; all cases take minutes."""
    return case.title.startswith("6.")


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(SIDE_BY_SIDE) as made:
        yield made


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.title, marks=[] if in_every_run(case) else [pytest.mark.long])
        for case in CASES
    ],
)
def test_case(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    assert play_differences(spark, tmp_path / "play", case) == []
