"""Runs beside many others ask the broker less often, unless they have an engine of their own, and give the
same results. Kafka's consumers ask how long to wait for records at each fetch, not when they are made.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from jobs.engine.fetch_wait import consumer_options, fetch_wait_ms, gather
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from tests.support.kafka_node import KafkaServer
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

AT = 1_767_261_600_000_000
RECORDS = 100
AS_MADE_MS = 60_000  # far more than a test waits
WITHIN_S = 30
DOCUMENT = {
    "format": 1,
    "name": "counted",
    "sources": {"s": {"stream": "s"}},
    "steps": {"n": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}},
    "outputs": {"out": {"input": "n", "to": "result"}},
}


def requests_for(spark: SparkSession, bench: Bench, runs: int, engine: str = "shared") -> float:
    """Fetches of a run that started alone and is beside so many now; records come one by one, all must be
    counted.
    """
    topic = bench.topic("in")
    document = {**DOCUMENT, "settings": {"engine": engine}}
    run = bench.run(document, {"s": (topic, contract({"k": "string", "x": "int"}))}, "realtime")
    listener = ProgressListener(lambda _: None, lambda: None)
    query = start_query(spark, run, plan_of(run), bench.home, listener)
    with closing(bench.results(run)) as results:
        try:

            def counted() -> int:
                error = query.exception()
                assert error is None, str(error)[:3000]
                return sum(row["n"] for row in results.read().values())

            bench.produce(topic, [(AT, {"k": "a", "x": 0})])
            wait_until(lambda: counted() == 1, 240, "the query reads")
            gather(spark.sparkContext._jvm, fetch_wait_ms(runs))
            before = fetches(spark, run.run_id)
            for x in range(RECORDS):
                bench.produce(topic, [(AT + x, {"k": "a", "x": x})])
                time.sleep(0.02)  # each comes alone
            wait_until(lambda: counted() == RECORDS + 1, 60, "all records are counted")
            return fetches(spark, run.run_id) - before
        finally:
            query.stop()
            gather(spark.sparkContext._jvm, 0)


def fetches(spark: SparkSession, run_id: str) -> float:
    """Fetch requests so far of the consumers of a run, as Kafka's client counts them."""
    java = spark.sparkContext._jvm.java.lang  # type: ignore[union-attr]
    beans = java.management.ManagementFactory.getPlatformMBeanServer()
    of_run = spark.sparkContext._jvm.javax.management.ObjectName(  # type: ignore[union-attr]
        f"kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*{run_id}*"
    )
    return sum(beans.getAttribute(name, "fetch-total") for name in beans.queryNames(of_run, None))


@pytest.mark.thorough
def test_many_records_come_with_one_request_beside_many_runs(spark: SparkSession, bench: Bench) -> None:
    alone = requests_for(spark, bench, runs=1)
    assert alone >= RECORDS / 2
    assert requests_for(spark, bench, runs=1_000) <= alone / 3
    assert requests_for(spark, bench, runs=1_000, engine="dedicated") >= alone / 2


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="threads are read from /proc")
def test_rows_between_stages_are_gathered_too(jvm: Any, spark: SparkSession, bench: Bench) -> None:
    topic = bench.topic("in")
    run = bench.run(DOCUMENT, {"s": (topic, contract({"k": "string", "x": "int"}))}, "realtime")
    query = start_query(spark, run, plan_of(run), bench.home, ProgressListener(lambda _: None, lambda: None))
    try:
        wait_until(lambda: wake_ups(jvm) > 100, 240, "rows wait for five milliseconds")
        gather(jvm, fetch_wait_ms(1_000))
        wait_until(lambda: 0 < wake_ups(jvm) < 50, 60, "from the next batch on for forty")
    finally:
        query.stop()


def wake_ups(jvm: Any) -> float:
    """How often a second the busiest thread is woken that sends rows to another stage."""
    threads = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/task")

    def switches() -> dict[str, int]:
        found = {}
        for thread in threads.iterdir():
            with suppress(OSError):  # one that has ended
                if (thread / "comm").read_text().startswith("time-based-flus"):
                    (line,) = (
                        each
                        for each in (thread / "status").read_text().splitlines()
                        if each.startswith("voluntary_ctxt_switches")
                    )
                    found[thread.name] = int(line.split()[1])
        return found

    before, began = switches(), time.monotonic()
    time.sleep(2)
    after, seconds = switches(), time.monotonic() - began
    return max((count - before.get(name, count) for name, count in after.items()), default=0) / seconds


@pytest.fixture
def jvm(spark: SparkSession) -> Iterator[Any]:
    """Of the engine, whose records are not gathered afterwards."""
    yield spark.sparkContext._jvm
    gather(spark.sparkContext._jvm, 0)


class Reader:
    """A consumer in the JVM, with the options of a source but for its wait."""

    def __init__(self, jvm: Any, kafka: KafkaServer, topic: str, *, shares: bool) -> None:
        options = {
            **consumer_options(shares=shares),
            "kafka.bootstrap.servers": kafka.bootstrap,
            "kafka.fetch.max.wait.ms": str(AS_MADE_MS),
            "kafka.request.timeout.ms": str(2 * AS_MADE_MS),
            "kafka.auto.offset.reset": "earliest",
        }
        values = jvm.java.util.Properties()
        for name, value in options.items():
            values.setProperty(name.removeprefix("kafka."), value)
        for part in ("key", "value"):
            values.setProperty(
                f"{part}.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer"
            )
        self._seconds = jvm.java.time.Duration.ofMillis
        self._consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(values)
        self._consumer.assign([jvm.org.apache.kafka.common.TopicPartition(topic, 0)])

    def records(self, ms: int) -> int:
        """How many come within so many ms."""
        return int(self._consumer.poll(self._seconds(ms)).count())

    def close(self) -> None:
        """Close the client, which would await the answer to a fetch that the broker keeps for a minute."""
        self._consumer.close(self._seconds(0))


def test_the_wait_changes_while_a_consumer_reads(jvm: Any, kafka: KafkaServer) -> None:
    topic, send = _topic(kafka)
    send()
    gather(jvm, 3_000)
    reader = Reader(jvm, kafka, topic, shares=True)
    try:
        assert reader.records(1_500) == 0, "it is gathered for three seconds"
        wait_until(lambda: reader.records(200) == 1, WITHIN_S, "it comes, with the wait that was said")
        gather(jvm, 0)
        send()
        wait_until(lambda: reader.records(200) == 1, WITHIN_S, "the next comes at once")
    finally:
        reader.close()


def test_a_run_with_an_engine_of_its_own_is_not_gathered_for(jvm: Any, kafka: KafkaServer) -> None:
    topic, send = _topic(kafka)
    send()
    gather(jvm, AS_MADE_MS)
    reader = Reader(jvm, kafka, topic, shares=False)
    try:
        wait_until(lambda: reader.records(200) == 1, WITHIN_S, "it comes at once")
    finally:
        reader.close()


def _topic(kafka: KafkaServer) -> tuple[str, Any]:
    """A new topic, and what writes a record into it."""
    topic = f"waits-{uuid4().hex[:8]}"
    kafka.create_topic(topic)
    producer = Producer({"bootstrap.servers": kafka.bootstrap})

    def send() -> None:
        producer.produce(topic, b"1")
        assert producer.flush(20) == 0

    return topic, send
