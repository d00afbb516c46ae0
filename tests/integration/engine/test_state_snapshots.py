"""What a query repeats of its state's changes when it goes on after one that drained a backlog."""

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.engine.state_snapshots import upload_snapshots
from jobs.kafka_messages import DesiredRun
from tests.support.event_count_job import CONTRACT, events_of_one_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

# Its state is loaded once in a batch, so that metrics tell of it; an aggregate's is loaded by who reads it.
ONCE: dict[str, Any] = {
    "format": 1,
    "name": "once",
    "sources": {"s": {"stream": "events"}},
    "steps": {"once": {"op": "deduplicate", "input": "s", "by": ["k", "at"], "within": "1h"}},
    "outputs": {"out": {"input": "once", "to": "result"}},
}


def drained(
    spark: SparkSession, bench: Bench, run: DesiredRun, attempt: int, *, saved: bool
) -> dict[str, Any]:
    """The metrics of the state in the first batch of a query that drains a backlog and ends."""
    heard: list[str] = []
    listener = ProgressListener(heard.append, lambda: None)
    query = start_query(spark, in_batches(run), plan_of(run), bench.home, listener, attempt, drains=True)
    query.awaitTermination()
    if saved:
        upload_snapshots(query)
    wait_until(lambda: heard, 30, "its batch is told")
    (state,) = json.loads(heard[0])["stateOperators"]
    metrics: dict[str, Any] = state["customMetrics"]
    return metrics


@pytest.mark.parametrize("saved", [True, False])
def test_who_goes_on_after_a_backlog_repeats_none_of_its_changes(
    spark: SparkSession, bench: Bench, saved: bool
) -> None:
    topic = bench.topic("in")
    run = bench.run(ONCE, {"s": (topic, CONTRACT)}, "realtime")
    results = bench.results(run)
    bench.produce(topic, events_of_one_key(0, 20))
    drained(spark, bench, run, 0, saved=saved)
    bench.produce(topic, events_of_one_key(10, 30))
    metrics = drained(spark, bench, run, 1, saved=saved)
    assert metrics["rocksdbNumLoadedFromDfs"] > 0
    assert (metrics["rocksdbNumReplayChangelogFiles"] == 0) == saved
    wait_until(lambda: len(results.read()) == 30, 60, "each is there once", results.read)
    results.close()
