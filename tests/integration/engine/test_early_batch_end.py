"""A batch in real-time mode that is ended before its time commits what was read, and reads nothing more."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.early_batch_end import end_batches, forget_end
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.kafka_messages import DesiredRun
from tests.support.event_count_job import CONTRACT, COUNTS, counted, events_of_one_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration


@pytest.fixture
def run(bench: Bench) -> DesiredRun:
    """A count in real-time mode that would commit after an hour."""
    run = bench.run(COUNTS, {"s": (bench.topic("in"), CONTRACT)}, "realtime")
    return run.model_copy(update={"commit_interval_ms": 3_600_000})


def started(
    spark: SparkSession, bench: Bench, run: DesiredRun, attempt: int
) -> tuple[StreamingQuery, list[str]]:
    """A query, and what is heard at its commits."""
    heard: list[str] = []
    listener = ProgressListener(heard.append, lambda: None)
    return start_query(spark, run, plan_of(run), bench.home, listener, attempt), heard


def test_what_was_read_is_committed_and_the_next_query_goes_on_behind_it(
    spark: SparkSession, bench: Bench, run: DesiredRun
) -> None:
    topic = run.sources["s"].topic
    results = bench.results(run)
    query, heard = started(spark, bench, run, 0)
    bench.produce(topic, events_of_one_key(0, 20))
    wait_until(lambda: counted(results) == 20, 60, "they are counted", results.read)
    assert heard == [], "nothing is committed"
    end_batches(query)
    wait_until(lambda: heard, 30, "its batch has ended")
    bench.produce(topic, events_of_one_key(20, 30))
    query.stop()
    forget_end(query)
    assert counted(results) == 20, "what came later is not read"
    before = len(results.records)
    query, _ = started(spark, bench, run, 1)
    wait_until(lambda: counted(results) == 30, 60, "the next query has read it", results.read)
    again = {seen.key for seen in results.records[before:]} & {seen.key for seen in results.records[:before]}
    assert not again, "it has read nothing twice"
    query.stop()
    results.close()


def test_other_queries_go_on(spark: SparkSession, bench: Bench, run: DesiredRun) -> None:
    other = bench.run(COUNTS, {"s": (bench.topic("in"), CONTRACT)}, "realtime")
    ended, _ = started(spark, bench, run, 0)
    query, heard = started(spark, bench, other, 0)
    end_batches(ended)
    results = bench.results(other)
    bench.produce(other.sources["s"].topic, events_of_one_key(0, 20))
    wait_until(lambda: counted(results) == 20, 60, "they are counted", results.read)
    assert heard == []
    for each in (ended, query):
        each.stop()
    forget_end(ended)
    results.close()
