"""Documents that must give the same answer as another (`tests/oracle/relations`).

Neither Spark's answer nor the oracle's is asked about the change, only whether it made a difference.

Each golden case, and each random document, is played once under at least three relations together; where that
differs, under each alone.
"""

import gc
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.integration.engine.test_random_cases import FEW_SEED, MANY, SEED
from tests.oracle.cases import Case, load_cases
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import cases
from tests.oracle.relations import AT_LEAST, RELATIONS, Variant, one_by_one, variant_of
from tests.oracle.relations.through_topic import split_at_topic
from tests.support.shares import in_shares
from tests.support.spark_case import SIDE_BY_SIDE, play, play_through_topic

pytestmark = pytest.mark.integration

Recorded = Callable[[str, object], None]

FEW = 4  # of each kind, two seconds each on two cores
FEW_CUT = 2
ENOUGH = 100  # cases among which every relation must have been applied; batches are rarely recut


def play_variant(spark: SparkSession, folder: Path, case: Case, seed: int) -> tuple[Variant, str]:
    """Run a variant of a case; differences, with those of each relation alone. An empty text: none."""
    variant = variant_of(case, seed)
    differing = _differing(spark, folder / "all", variant)
    if not differing:
        return variant, ""
    alone = {
        made.relations: _differing(spark, folder / "-".join(made.relations), made)
        for made in one_by_one(case, variant, seed)
    }
    causes = [f"{', '.join(names)} alone: {found}" for names, found in alone.items() if found] or [
        "none of them alone"
    ]
    as_it_is = _differing(spark, folder / "as-it-is", Variant(case, ()))
    causes += [f"without any of them: {as_it_is or 'equal'}"]
    lines = [f"{case.title} (seed {seed}) under {', '.join(variant.relations)}", *causes, *differing]
    return variant, "\n".join(
        [*lines, case.document, variant.case.document, str(variant.case.contracts), str(variant.case.batches)]
    )


def _differing(spark: SparkSession, folder: Path, variant: Variant) -> list[str]:
    try:
        return play(spark, folder, variant.case, compiled=False)
    except Exception as error:  # noqa: BLE001 - all failing cases are reported together
        return [f"{type(error).__name__}: {str(error)[:2_000]}"]


def check(spark: SparkSession, folder: Path, all_cases: list[Case], seed: int) -> str:
    """Every case is played under its relations; how often each was applied."""
    seeds = [random.Random(seed + number).randrange(2**32) for number in range(len(all_cases))]

    def played(number: int) -> tuple[Variant, str]:
        if number % 20 == 19:
            gc.collect()  # Spark's sessions hold cycles; Python collects them too rarely for the JVM's heap
        variant, text = play_variant(spark, folder / str(number), all_cases[number], seeds[number])
        if text or number % 100 == 99:
            print(text or f"{number + 1} variants played", flush=True)
        return variant, text

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = list(pool.map(played, range(len(all_cases))))
    applied = Counter(name for variant, _ in found for name in variant.relations)
    counted = ", ".join(f"{name} {applied[name]}" for name in RELATIONS)
    print(f"relations applied to {len(all_cases)} cases: {counted}")
    wrong = [text for _, text in found if text]
    assert not wrong, f"{len(wrong)} of {len(all_cases)} differ\n" + "\n\n".join(wrong)
    assert all(len(variant.relations) >= AT_LEAST for variant, _ in found), (
        "a case that hardly any relation holds for"
    )
    if len(all_cases) >= ENOUGH:
        assert set(applied) == set(RELATIONS), f"never applied: {RELATIONS.keys() - applied.keys()}"
    return counted


def check_split(spark: SparkSession, folder: Path, all_cases: list[Case], seed: int) -> str:
    """Those cases that can be split in two, with a topic between, are; how many there were."""
    found = [
        (case, split_at_topic(case, random.Random(seed + number))) for number, case in enumerate(all_cases)
    ]
    splits = [(case, split) for case, split in found if split is not None]

    def describe(number: int) -> str:
        case, split = splits[number]
        try:
            differing = play_through_topic(spark, folder / str(number), case, split)
        except Exception as error:  # noqa: BLE001 - all failing cases are reported together
            differing = [f"{type(error).__name__}: {str(error)[:2_000]}"]
        inputs = [
            f"{case.title}: {case.document}",
            f"{split.first}",
            f"{split.second}",
            f"{split.contract}",
            f"{case.contracts}",
            f"{case.batches}",
        ]
        return "\n".join([*differing, *inputs]) if differing else ""

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        wrong = list(filter(None, pool.map(describe, range(len(splits)))))
    assert not wrong, f"{len(wrong)} of {len(splits)} differ\n" + "\n\n".join(wrong)
    assert splits, "no case could be split"
    return f"{len(splits)} of {len(all_cases)}"


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_a_few_in_two_jobs(spark: SparkSession, tmp_path: Path) -> None:
    golden = random.Random(FEW_SEED).sample(load_cases(), FEW_CUT)
    check_split(spark, tmp_path, [*golden, *drawn(FEW_CUT, FEW_SEED, cases())], FEW_SEED)


@pytest.mark.long
@pytest.mark.timeout(4 * 3_600)
def test_all_in_two_jobs(spark: SparkSession, tmp_path: Path, record_property: Recorded) -> None:
    """Golden cases, and a tenth of the random documents."""
    all_cases = [*load_cases(), *drawn(max(1, MANY // 10), SEED, cases())]
    record_property("split in two jobs", check_split(spark, tmp_path, all_cases, SEED))


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_a_few(spark: SparkSession, tmp_path: Path) -> None:
    golden = random.Random(FEW_SEED).sample(load_cases(), FEW)
    check(spark, tmp_path, [*golden, *drawn(FEW, FEW_SEED, cases())], FEW_SEED)


@pytest.mark.long
@pytest.mark.timeout(2 * 3_600)
def test_every_golden_case(spark: SparkSession, tmp_path: Path, record_property: Recorded) -> None:
    record_property("relations", check(spark, tmp_path, load_cases(), SEED))


@pytest.mark.long
@pytest.mark.timeout(3_600)
@in_shares("variants", MANY)
def test_many_random_documents(
    spark: SparkSession, tmp_path: Path, record_property: Recorded, share: int, shares: int
) -> None:
    """All of the documents of which `test_random_cases` plays every tenth as it is."""
    print(f"WEIR_RANDOM_SEED={SEED} WEIR_RANDOM_CASES={MANY}")
    record_property(
        "relations", check(spark, tmp_path, [*drawn(MANY, SEED, cases(), share, shares)], SEED + share)
    )
