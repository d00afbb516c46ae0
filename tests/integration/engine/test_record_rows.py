"""Rows that Spark's readers make of Kafka's records (`jvm/src/weir/records`)."""

from typing import Any, Final

import pytest
from confluent_kafka import Producer
from pyspark.sql import Row, SparkSession

from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT_MS: Final = 1_767_261_600_123
Record = dict[str, Any]
RECORDS: Final[list[Record]] = [
    {"key": b"k", "value": b"v", "timestamp": AT_MS},
    {"key": None, "value": b"of no key", "timestamp": AT_MS + 1},
    {"key": b"deletion", "value": None, "timestamp": AT_MS + 2},
    {"key": b"", "value": b"", "timestamp": AT_MS + 3},
    {"key": b"long", "value": bytes(range(256)) * 400, "timestamp": AT_MS + 4},
    {"key": b"short, after a long one", "value": b"x", "timestamp": AT_MS + 5},
    {"key": b"k", "value": b"v", "timestamp": AT_MS + 6, "headers": [("a", b"1"), ("b", None), ("a", b"2")]},
    {"key": b"k", "value": b"after headers", "timestamp": AT_MS + 7},
    {"key": b"k", "value": b"first moment", "timestamp": 1},
    {"key": None, "value": None, "timestamp": AT_MS + 8, "headers": [("only", b"")]},
]


def expected(record: Record, topic: str, offset: int, *, headers: bool) -> Row:
    known = {
        "key": record["key"],
        "value": record["value"],
        "topic": topic,
        "partition": 0,
        "offset": offset,
        "at_us": record["timestamp"] * 1_000,
        "timestampType": 0,
    }
    if headers:
        given = record.get("headers")
        known["headers"] = None if given is None else [Row(key=key, value=value) for key, value in given]
    return Row(**known)


@pytest.mark.parametrize("headers", [True, False])
def test_every_column_is_what_was_sent(spark: SparkSession, bench: Bench, *, headers: bool) -> None:
    topic = bench.topic("in")
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap})
    for record in RECORDS:
        producer.produce(topic, partition=0, **record)
    assert producer.flush(30) == 0
    read = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", bench.kafka.bootstrap)
        .option("subscribe", topic)
        .option("includeHeaders", str(headers).lower())
        .load()
    )
    columns = [
        "key",
        "value",
        "topic",
        "partition",
        "offset",
        "unix_micros(timestamp) AS at_us",
        "timestampType",
    ]
    rows = read.selectExpr(*columns, *(["headers"] if headers else [])).sort("offset").collect()
    assert rows == [expected(record, topic, offset, headers=headers) for offset, record in enumerate(RECORDS)]


def test_readers_make_them_with_our_class(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    reader = jvm.java.lang.Class.forName("org.apache.spark.sql.kafka010.KafkaBatchPartitionReader")
    place = reader.getProtectionDomain().getCodeSource().getLocation().getPath()
    assert place.endswith("/jvm/build/weir.jar"), "Spark's own makes a row of objects of each record first"
