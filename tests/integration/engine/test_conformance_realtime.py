"""Spark's behaviour that real-time mode relies on, with the engine's own queries.

Windows close by the time column that has watermark metadata.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.kafka_messages import DesiredRun
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, Results

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000
S = 1_000_000
SECONDS = 240.0  # the first batch of a cold session takes a minute on busy cores
FIELDS = {"k": "string", "x": "int"}


@contextmanager
def running(spark: SparkSession, bench: Bench, run: DesiredRun) -> Iterator[tuple[StreamingQuery, Results]]:
    query = start_query(
        spark, run, plan_of(run), bench.home, ProgressListener(lambda text: None, lambda: None)
    )
    results = bench.results(run)
    try:
        yield query, results
    finally:
        query.stop()
        results.close()


def wait_for_batches(query: StreamingQuery, number: int) -> None:
    """Until so many more batches are committed."""

    def batch() -> int:
        error = query.exception()
        assert error is None, str(error)[:3000]
        progress = query.lastProgress
        return -1 if progress is None else int(progress["batchId"])

    target = batch() + number
    wait_until(lambda: batch() >= target, SECONDS, f"{number} batches are committed")


def late(query: StreamingQuery) -> int:
    return sum(
        state["numRowsDroppedByWatermark"]
        for progress in query.recentProgress
        for state in progress["stateOperators"]
    )


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "window",
    [{"tumbling": {"size": "10s"}}, {"calendar": {"unit": "day", "zone": "UTC"}}],
    ids=lambda window: next(iter(window)),
)
def test_windows_close_at_their_end_plus_the_grace(
    spark: SparkSession, bench: Bench, window: dict[str, Any]
) -> None:
    """Late is what Spark refuses by the end and the grace, which a window's column says in its metadata."""
    end = (
        10 if "tumbling" in window else 14 * 3600
    )  # the cases' day ends fourteen hours after their beginning
    counts = {
        "op": "aggregate",
        "input": "s",
        "window": window,
        "grace": "5s",
        "by": ["k"],
        "measures": {"n": "count()"},
    }
    document = {
        "format": 1,
        "name": "closing",
        "sources": {"s": {"stream": "s"}},
        "steps": {"counts": counts},
        "outputs": {"out": {"input": "counts", "to": "result"}},
    }
    topic = bench.topic("in")
    run = bench.run(document, {"s": (topic, contract(FIELDS, delay="0s"))}, "realtime")

    def send(seconds: float, k: str) -> None:
        bench.produce(topic, [(AT + round(seconds * S), {"k": k, "x": 1})])
        wait_for_batches(query, 4)  # the watermark is that of the batch before the last

    def count(k: str) -> int:
        return sum(row["n"] for row in results.read().values() if row["k"] == k)

    with running(spark, bench, run) as (query, results):
        send(end - 5, "a")
        send(end + 4, "clock")
        send(end - 6, "a")
        assert (count("a"), late(query)) == (2, 0), "the end has passed, the grace has not"
        send(end + 5, "clock")
        send(end - 7, "a")
        assert count("a") == 2
        assert late(query) == 1
