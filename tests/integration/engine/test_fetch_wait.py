"""Kafka's consumers in an engine ask at each fetch how long to wait for records, not when they are made."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from jobs.engine.fetch_wait import consumer_options, gather
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until

pytestmark = pytest.mark.integration

AS_MADE_MS = 60_000  # far more than a test waits
WITHIN_S = 30


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
        """Close the client."""
        self._consumer.close()


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
