"""Random documents in real-time mode, on a broker: the final contents are the oracle's.

Of those that the mode allows; `test_random_cases` plays all of them in micro-batches.
"""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from tests.integration.engine.test_random_cases import FEW_SEED, MANY, SEED
from tests.oracle.cases import Case
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import cases
from tests.oracle.records import PARTITION
from tests.support.case_checks import require_no_difference
from tests.support.real_time_case import play_in_real_time, real_time_allows
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

FEW = 4
NEWEST_US = 1_790_000_000_000_000  # September 2026: a broker takes no record from the future


def can_be_sent(case: Case) -> bool:
    """Real-time mode allows the document, a broker takes the times of its records, and they are of one
    partition: between partitions nobody says in which order records arrive.
    """
    sent = [record for batch in case.batches for records in batch.values() for record in records]
    one_partition = not any(values.get(PARTITION) for _, values in sent)
    return real_time_allows(case) and one_partition and all(0 <= at <= NEWEST_US for at, _ in sent)


def check(spark: SparkSession, bench: Bench, all_cases: list[Case]) -> None:
    """No case differs."""
    require_no_difference(all_cases, lambda _, case: play_in_real_time(spark, bench, case))


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_a_few(spark: SparkSession, bench: Bench) -> None:
    check(spark, bench, [*drawn(FEW, FEW_SEED, cases().filter(can_be_sent))])


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_many(spark: SparkSession, bench: Bench, record_property: Callable[[str, object], None]) -> None:
    print(f"WEIR_RANDOM_SEED={SEED} WEIR_RANDOM_CASES={MANY}")
    found = [*drawn(max(1, MANY // 30), SEED, cases().filter(can_be_sent))]
    record_property("in real-time mode", f"documents {len(found)}")
    check(spark, bench, found)
