"""Plays of golden cases: the rows that the engine writes, and that the oracle expects, after each batch."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.engine.play import play
from jobs.engine.play.warmup import warm_up_scripts
from tests.oracle.cases import Case, load_cases
from tests.support.played_case import play_differences
from tests.support.spark_case import SIDE_BY_SIDE

pytestmark = pytest.mark.integration

CASES = load_cases()
# `test_golden_cases` holds what the operators mean; here it is that a play sees their rows: of windows, of a
# changelog, of two streams, of a table, of none. All cases take minutes.
IN_EVERY_RUN = (
    "6.2 stock statistics",
    "6.6 left join, when the null row appears",
    "6.7 hopping with late rows",
    "6.10 a version that comes with the release counts, one that comes later does not",
    "6.14 filter over an upsert",
)


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(SIDE_BY_SIDE) as made:
        yield made


@pytest.mark.thorough
def test_what_warms_up_for_previews_can_be_played(spark: SparkSession, tmp_path: Path) -> None:
    """It would end with a line in a log, and the first preview would take seconds."""
    for number, script in enumerate(warm_up_scripts()):
        result = play(spark, script, tmp_path / str(number))
        assert result.problem is None
        assert result.batches[-1].outputs["out"].rows > 0


def test_those_of_every_run_exist() -> None:
    assert {case.title for case in CASES} > set(IN_EVERY_RUN)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.title, marks=[] if case.title in IN_EVERY_RUN else [pytest.mark.long])
        for case in CASES
    ],
)
def test_case(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    assert play_differences(spark, tmp_path / "play", case) == []
