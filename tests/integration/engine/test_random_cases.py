"""Spark gives what the oracle gives: random documents over random rows, batch by batch.

`make test-long` plays the same few every time, and then 2,000 (or WEIR_RANDOM_CASES) from a seed that it prints
(WEIR_RANDOM_SEED repeats it).
"""

import itertools
import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from pyspark.sql import SparkSession

from tests.integration.engine.test_golden_cases import play
from tests.oracle.cases import Case
from tests.oracle.random_cases import cases

pytestmark = pytest.mark.integration

FEW = 8  # some seconds each on two busy cores
MANY = int(os.environ.get("WEIR_RANDOM_CASES", "2000"))
SEED = int(os.environ.get("WEIR_RANDOM_SEED", random.SystemRandom().randrange(2**32)))
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

numbers = itertools.count()


def same(spark: SparkSession, folder: Path, case: Case) -> None:
    note(json.dumps(json.loads(case.document)["steps"]))
    note(json.dumps(case.batches))
    assert play(spark, folder / f"random{next(numbers)}", case) == []


@pytest.mark.timeout(600)
@settings(max_examples=FEW, deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=CHECKS)
@given(case=cases())
def test_a_few(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    same(spark, tmp_path, case)


@pytest.mark.long
@pytest.mark.timeout(4 * 3_600)
def test_many(spark: SparkSession, tmp_path: Path) -> None:
    print(f"WEIR_RANDOM_SEED={SEED} WEIR_RANDOM_CASES={MANY}")

    @seed(SEED)
    @settings(max_examples=MANY, deadline=None, database=None, suppress_health_check=CHECKS)
    @given(case=cases())
    def many(case: Case) -> None:
        same(spark, tmp_path, case)

    many()
