"""Every stateful operator, stopped and killed between batches, ends with the same content as without."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.operators import OPERATORS
from tests.oracle.cases import Case, all_differences, load_cases
from tests.support.real_time_case import RealTimeCase, real_time_allows
from tests.support.spark_case import can_be_restarted, play_with_restarts
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

IN_EVERY_RUN = ("6.7 with final results", "6.6 left join, when the null row appears")
DRAINED_IN_EVERY_RUN = ("latest keeps the row of the greatest event time",)
CASES = [case for case in load_cases() if can_be_restarted(case)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.title, marks=[] if case.title in IN_EVERY_RUN else [pytest.mark.long])
        for case in CASES
    ],
)
def test_a_restart_changes_nothing(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    assert play_with_restarts(spark, tmp_path, case) == []


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "title",
    [
        "latest keeps the row of the greatest event time",
        "null is a group of its own",
        "current, the table as it is when the row comes",
    ],
)
def test_a_restart_in_real_time_mode(spark: SparkSession, bench: Bench, title: str) -> None:
    """Killed before the commit of a batch, and stopped after another: the content at the end is the same."""
    (case,) = [case for case in load_cases() if case.title == title]
    played = RealTimeCase(spark, bench, case)
    try:
        played.start()
        played.send_in_order(case.batches[0])
        played.wait_for(case.expected_after[0])
        played.stop()
        played.start()
        played.settle()
        played.stop()
        played.start()
        for batch in case.batches[1:]:
            played.send_in_order(batch)
        played.settle()
        assert all_differences(case.expected_after[-1], played.contents(), case.approximate) == []
    finally:
        played.close()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case.title, marks=[] if case.title in DRAINED_IN_EVERY_RUN else [pytest.mark.long]
        )
        for case in load_cases()
        if real_time_allows(case) and len(case.batches) > 1
    ],
)
def test_changes_between_draining_and_real_time_mode_change_nothing(
    spark: SparkSession, bench: Bench, case: Case
) -> None:
    """Batch by batch the other way, on one checkpoint; a broadcast table holds the first batch."""
    played = RealTimeCase(spark, bench, case)
    try:
        for number, batch in enumerate(case.batches):
            tables = played.plan.static if number else frozenset[str]()
            sent = {name: records for name, records in batch.items() if name not in tables}
            if number % 2 == 0:
                played.send([sent])
                played.drain()
                continue
            played.start()
            played.play(sent)
            played.settle()
            played.stop()
        assert all_differences(case.expected_after[-1], played.contents(), case.approximate) == []
    finally:
        played.close()


def test_every_operator_with_state_is_among_them() -> None:
    used = {step["op"] for case in CASES for step in json.loads(case.document)["steps"].values()}
    assert {name for name, row in OPERATORS.items() if row.stateful} <= used
