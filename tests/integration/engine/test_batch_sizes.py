"""The batches in which a backlog is drained: small ones at first, larger ones while they are soon done."""

import json
from itertools import pairwise
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.backlog import DRAINED_FROM, in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from tests.support.event_count_job import CONTRACT, counted, events_of_one_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

RECORDS = 4_000
FIRST = 500  # records
WINDOWS = 100  # that each is in
HOPPING: dict[str, Any] = {
    "format": 1,
    "name": "hopping",
    "sources": {"s": {"stream": "events"}},
    "steps": {
        "counted": {
            "op": "aggregate",
            "input": "s",
            "by": ["k"],
            "window": {"hopping": {"size": "100s", "advance": "1s"}},
            "measures": {"n": "count()"},
        }
    },
    "outputs": {"out": {"input": "counted", "to": "result"}},
}


@pytest.mark.parametrize(
    ("size", "took_ms", "following"),
    [
        (100, 499, 400),
        (100, 500, 200),
        (100, 999, 200),
        (100, 1_000, 100),
        (100, 3_000, 100),
        (100, 3_001, 50),
        (600, 10, 1_000),
        (70, 5_000, 50),
    ],
)
def test_a_batch_is_as_large_as_the_time_of_the_last_one_allows(
    spark: SparkSession, size: int, took_ms: int, following: int
) -> None:
    jvm: Any = spark.sparkContext._jvm
    assert jvm.weir.batches.BatchSizes.next(size, took_ms, 50, 1_000) == following


def test_the_first_batch_of_a_backlog_is_small(spark: SparkSession, bench: Bench) -> None:
    topic = bench.topic("in")
    run = bench.run(HOPPING, {"s": (topic, CONTRACT)}, "realtime")
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
    for before, after in list(pairwise(sizes()))[:-1]:
        assert after in (max(before // 2, FIRST), before, 2 * before, 4 * before), sizes()
    wait_until(lambda: counted(results) == RECORDS * WINDOWS, 60, "each is counted once", results.read)
    results.close()
