"""Spark gives what the oracle gives: random documents over random rows, batch by batch.

`make test-thorough` plays the same few every time, `make test-long` of 3,000 (or WEIR_RANDOM_CASES) from a
seed that it prints (WEIR_RANDOM_SEED repeats it) every tenth as it is; all of them are played as variants
(`test_metamorphic`), whose answers are the same. A tenth as many with state are killed and stopped on the
way. What is played as it is, is compiled as in an engine, of the few every fifth; the rest is interpreted,
which takes half the time.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.oracle.cases import Case
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import cases, restarted
from tests.support.case_checks import require_no_difference
from tests.support.shares import in_shares
from tests.support.spark_case import can_be_restarted, play, play_with_restarts, restarts_of

pytestmark = pytest.mark.integration

FEW = 5  # 5 s of CPU each; `make test-long` plays thousands
FEW_SEED = 1
MANY = int(os.environ.get("WEIR_RANDOM_CASES", "3000"))
SEED = int(os.environ.get("WEIR_RANDOM_SEED", random.SystemRandom().randrange(2**32)))

COMPILED_EACH = 5
AS_IT_IS_EACH = 10
AS_THEY_ARE = -(-MANY // AS_IT_IS_EACH)
RESTARTED = max(1, MANY // 10)

Play = Callable[..., list[str]]


def check(
    spark: SparkSession, folder: Path, all_cases: list[Case], play: Play, compiled_each: int = COMPILED_EACH
) -> None:
    """No case differs."""
    require_no_difference(
        all_cases,
        lambda number, case: play(spark, folder / str(number), case, compiled=number % compiled_each == 0),
    )


@pytest.mark.thorough
@pytest.mark.timeout(1_800)
def test_a_few(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, [*drawn(FEW, FEW_SEED, cases())], play)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@in_shares("as they are", AS_THEY_ARE)
def test_many(spark: SparkSession, tmp_path: Path, share: int, shares: int) -> None:
    print(f"WEIR_RANDOM_SEED={SEED} WEIR_RANDOM_CASES={MANY}")
    all_cases = drawn(MANY, SEED, cases(), share * AS_IT_IS_EACH, shares * AS_IT_IS_EACH)
    check(spark, tmp_path, [*all_cases], play, compiled_each=1)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@in_shares("restarted", RESTARTED)
def test_many_restarted(spark: SparkSession, tmp_path: Path, share: int, shares: int) -> None:
    print(f"WEIR_RANDOM_SEED={SEED} WEIR_RANDOM_CASES={MANY}")
    all_cases = drawn(RESTARTED, SEED, cases().filter(can_be_restarted), share, shares)
    decided = [case for one in all_cases if (case := restarted(one, frozenset(restarts_of(one)))) is not None]
    check(spark, tmp_path, decided, play_with_restarts)
