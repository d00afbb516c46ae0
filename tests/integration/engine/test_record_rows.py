"""Rows that Spark's readers make of Kafka's records (`jvm/src/weir/records`)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import KafkaError, Producer
from pyspark.sql import DataFrame, Row, SparkSession

from jobs.base.instants import MAX_INSTANT
from jobs.engine.formats.decoding import decoded
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT_MS: Final = 1_767_261_600_123
END_MS: Final = MAX_INSTANT // 1_000
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
    {"key": b"k", "value": b"in the year 10000", "timestamp": END_MS},
    {"key": b"k", "value": b"in microseconds", "timestamp": AT_MS * 1_000},
    {"key": b"k", "value": b"the last of all", "timestamp": 2**63 - 1},
    {"key": b"k", "value": b"with headers", "timestamp": AT_MS * 1_000, "headers": [("a", b"1")]},
    {"key": b"k", "value": b"the last with headers", "timestamp": 2**63 - 1, "headers": [("a", b"1")]},
    {"key": b"k", "value": b"after them", "timestamp": AT_MS + 9},
]


def expected(record: Record, topic: str, offset: int, *, headers: bool) -> Row:
    known = {
        "key": record["key"],
        "value": record["value"],
        "topic": topic,
        "partition": 0,
        "offset": offset,
        "at_us": min(record["timestamp"], 4 * END_MS) * 1_000,
        "timestampType": 0,
    }
    if headers:
        given = record.get("headers")
        known["headers"] = None if given is None else [Row(key=key, value=value) for key, value in given]
    return Row(**known)


def produce(bench: Bench, records: Sequence[Record] = RECORDS) -> str:
    """A new topic with records; its broker takes any time."""
    topic = bench.topic("in", configuration={"message.timestamp.after.max.ms": str(2**63 - 1)})
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap})
    refused: list[KafkaError] = []
    for record in records:
        producer.produce(
            topic,
            partition=0,
            **record,
            on_delivery=lambda error, _: refused.append(error) if error else None,
        )
    assert producer.flush(30) == 0
    assert refused == []
    return topic


COLUMNS: Final = (
    "key",
    "value",
    "topic",
    "partition",
    "offset",
    "unix_micros(timestamp) AS at_us",
    "timestampType",
)


def rows_of(read: DataFrame, *, headers: bool) -> list[Row]:
    return read.selectExpr(*COLUMNS, *(["headers"] if headers else [])).sort("offset").collect()


def all_expected(topic: str, *, headers: bool) -> list[Row]:
    return [expected(record, topic, offset, headers=headers) for offset, record in enumerate(RECORDS)]


def options(bench: Bench, topic: str, *, headers: bool) -> dict[str, str]:
    return {
        "kafka.bootstrap.servers": bench.kafka.bootstrap,
        "subscribe": topic,
        "includeHeaders": str(headers).lower(),
        "startingOffsets": "earliest",
    }


@pytest.mark.parametrize("headers", [True, False])
def test_every_column_is_what_was_sent(spark: SparkSession, bench: Bench, *, headers: bool) -> None:
    topic = produce(bench)
    read = spark.read.format("kafka").options(**options(bench, topic, headers=headers)).load()
    assert rows_of(read, headers=headers) == all_expected(topic, headers=headers)


@pytest.mark.parametrize("headers", [True, False])
def test_a_stream_has_the_same_rows(
    spark: SparkSession, bench: Bench, tmp_path: Path, *, headers: bool
) -> None:
    topic, name = produce(bench), f"rows_{str(headers).lower()}"
    read = spark.readStream.format("kafka").options(**options(bench, topic, headers=headers)).load()
    writer = read.writeStream.format("memory").queryName(name).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path)).start()
    query.awaitTermination()
    assert rows_of(spark.table(name), headers=headers) == all_expected(topic, headers=headers)


OF_A_DEVICE: Final[dict[str, Any]] = {
    "kind": "corrected",
    "device": {"field": "device", "unit": "ms"},
    "sent": {"field": "sent", "unit": "ms"},
}
RULES: Final[dict[str, dict[str, Any]]] = {
    "of Kafka": {},
    "bounded": {"max_ahead": "1h"},
    "of a field": {"event_time": {"kind": "field", "field": "device", "unit": "ms"}},
    "of a device": {"event_time": OF_A_DEVICE},
    "of a device, or Kafka": {"event_time": {**OF_A_DEVICE, "on_missing": "kafka_timestamp"}},
}
FAR_MS: Final = (AT_MS, END_MS, 3 * END_MS, AT_MS * 1_000, 9_200_000_000_000_000, 2**63 - 1)
DEVICES: Final = (
    {"device": AT_MS, "sent": AT_MS},
    {"device": 2**63 - 1, "sent": -(2**63)},
    {"device": AT_MS, "sent": 2**63 - 1},
    {"device": 2**63 - 1, "sent": END_MS - 2},
    {"device": 2 - END_MS, "sent": END_MS - 2},
    {"device": None, "sent": AT_MS},
)


@pytest.mark.timeout(180)
def test_far_times_are_what_python_says(spark: SparkSession, bench: Bench) -> None:
    """Spark's own reader failed at them, with each attempt."""
    records: list[Record] = [
        {"key": None, "value": json.dumps(device).encode(), "timestamp": at_ms, **more}
        for at_ms in FAR_MS
        for device in DEVICES
        for more in ({}, {"headers": [("a", b"1")]})
    ]
    fields = [{"name": name, "type": "long"} for name in ("device", "sent")]
    raw = (
        spark.read.format("kafka").options(**options(bench, produce(bench, records), headers=True)).load()
    ).cache()
    for name, rule in RULES.items():
        contract = StreamContract.model_validate({"fields": fields, **rule})
        rows = decoded(raw, contract, ("device", "sent")).sort("_offset").select("_reason").collect()
        found = [decode(record["value"], None, contract, record["timestamp"] * 1_000) for record in records]
        expected_reasons = [part.reason if isinstance(part, Malformed) else None for part in found]
        assert [row["_reason"] for row in rows] == expected_reasons, name


def test_readers_make_them_with_our_class(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    reader = jvm.java.lang.Class.forName("org.apache.spark.sql.kafka010.KafkaBatchPartitionReader")
    place = reader.getProtectionDomain().getCodeSource().getLocation().getPath()
    assert place.endswith("/jvm/build/weir.jar"), "Spark's own makes a row of objects of each record first"
