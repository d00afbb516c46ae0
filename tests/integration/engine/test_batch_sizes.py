"""The batches in which a backlog is drained: small ones at first, larger ones while they are soon done."""

import json
import random
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.backlog import DRAINED_FROM, in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from tests.support.event_count_job import CONTRACT, COUNTS, counted, events_of_one_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

RECORDS = 4_000
FIRST = 500  # records
WINDOWS = 100  # that each is in
HOPPING = {"window": {"hopping": {"size": f"{WINDOWS}s", "advance": "1s"}}}


@dataclass(frozen=True)
class Cost:
    """What batches cost: ms of each, of a record, and how many times that while the JVM compiles."""

    fixed_ms: float
    record_ms: float
    cold: float = 1.0


def play(spark: SparkSession, first: int, most: int, cost: Cost, noise: float) -> list[tuple[int, float]]:
    """Sizes of thirty batches, and what each took in ms."""
    jvm: Any = spark.sparkContext._jvm
    sizes, size = jvm.weir.batches.BatchSizes(first, most), first
    draw, batches = random.Random(7), list[tuple[int, float]]()
    for number in range(30):
        slow = 1 + (cost.cold - 1) * 0.5**number
        took_ms = (cost.fixed_ms + cost.record_ms * size) * slow * draw.uniform(1 - noise, 1 + noise)
        batches.append((size, took_ms))
        size = sizes.next(int(took_ms))
    return batches


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize(
    ("first", "most", "cost"),
    [
        pytest.param(50_000, 1_000_000, Cost(300, 0.002), id="a record is a cheap row"),
        pytest.param(50_000, 1_000_000, Cost(300, 0.002, cold=8), id="in a cold engine"),
        pytest.param(2_500, 50_000, Cost(300, 0.04), id="twenty rows"),
        pytest.param(50_000, 1_000_000, Cost(500, 0.04), id="dear rows"),
        pytest.param(50_000, 1_000_000, Cost(500, 1), id="very dear rows"),
        pytest.param(100, 5_000, Cost(2_900, 0.8), id="a batch is dear"),
        pytest.param(100, 5_000, Cost(2_900, 0.8, cold=4), id="a batch is dear in a cold engine"),
    ],
)
def test_batches_come_every_few_seconds_and_much_of_their_time_is_reading(
    spark: SparkSession, first: int, most: int, cost: Cost, noise: float
) -> None:
    batches = play(spark, first, most, cost, noise)
    late = batches[10:]
    assert max(took for _, took in late) < (2.5 + 3 * noise) * max(cost.fixed_ms, 1_500), batches
    reading = sum(size for size, _ in late) * cost.record_ms
    assert reading > (0.45 - noise / 2) * sum(took for _, took in late), batches


def test_no_batch_takes_more_than_a_query_may(spark: SparkSession) -> None:
    batches = play(spark, 100, 1_000, Cost(10, 0.0001), 0.2)
    assert {size for size, _ in batches[3:]} == {1_000}


def test_the_first_batch_of_a_backlog_is_small(spark: SparkSession, bench: Bench) -> None:
    topic = bench.topic("in")
    document = {**COUNTS, "steps": {"n": {**COUNTS["steps"]["n"], **HOPPING}}}
    run = bench.run(document, {"s": (topic, CONTRACT)}, "realtime")
    results = bench.results(run)
    bench.produce(topic, events_of_one_key(0, RECORDS))
    plan = plan_of(run)
    heard: list[str] = []
    listener = ProgressListener(heard.append, lambda: None)
    query = start_query(spark, in_batches(run, plan.fanout), plan, bench.home, listener, drains=True)
    query.awaitTermination()

    def sizes() -> list[int]:
        return [rows for text in heard if (rows := json.loads(text)["numInputRows"])]

    wait_until(lambda: sum(sizes()) == RECORDS, 30, "all batches are told", sizes)
    assert RECORDS < DRAINED_FROM, "one batch would take them all"
    assert sizes()[0] == FIRST
    assert len(sizes()) > 1
    wait_until(lambda: counted(results) == RECORDS * WINDOWS, 60, "each is counted once", results.read)
    results.close()
