"""What is counted of records that several tasks read."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import Observation, SparkSession

from jobs.engine.observation import Metrics
from jobs.engine.read_counts import CountedRead, counted_read, read_counts
from jobs.kafka_messages import MalformedExample, SourceRead
from tests.support.plan_helpers import contract

pytestmark = pytest.mark.integration

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = "_reason STRING, _partition INT, _offset LONG, _heartbeat BOOLEAN, _time TIMESTAMP"
Record = tuple[str | None, int, int, bool, datetime | None]


def row(partition: int, offset: int, seconds: int, *, beat: bool = False) -> Record:
    return (None, partition, offset, beat, BEGIN + timedelta(seconds=seconds))


def bad(reason: str, partition: int, offset: int) -> Record:
    return (reason, partition, offset, False, None)


def counted(spark: SparkSession, records: list[Record], tasks: int, **more: Any) -> CountedRead:
    observed = Observation("read")
    frame = spark.createDataFrame(records, SCHEMA).repartition(tasks, "_partition")
    counts = Metrics("read", read_counts(contract({"x": "int"}, **more)))
    frame.observe(observed, *counts.made()).collect()
    return counted_read(observed.get)


@pytest.mark.parametrize("tasks", [1, 4])
def test_records_of_several_tasks(spark: SparkSession, tasks: int) -> None:
    records = [
        *(row(partition, offset, 10 * partition + offset) for partition in range(3) for offset in range(5)),
        row(1, 5, 100, beat=True),
        bad("NOT_JSON", 0, 7),
        bad("NOT_JSON", 2, 9),
        bad("TOO_LARGE", 1, 9),
        bad("SKIPPED", 2, 11),
    ]
    watermark = BEGIN + timedelta(seconds=100 - 10)
    assert counted(spark, records, tasks, delay="10s") == CountedRead(
        read=SourceRead(
            records=20,
            malformed={"TOO_LARGE": 1, "NOT_JSON": 2},
            example=MalformedExample(reason="NOT_JSON", partition=2, offset=9),
        ),
        rows=15,
        watermark_us=round(watermark.timestamp() * 1_000_000),
    )


@pytest.mark.parametrize("records", [[], [bad("NOT_JSON", 0, 0)], [bad("SKIPPED", 0, 0)]])
def test_without_a_row_no_watermark_is_known(spark: SparkSession, records: list[Record]) -> None:
    found = counted(spark, records, 2, delay="10s")
    assert (found.read.records, found.rows, found.watermark_us) == (len(records), 0, None)


def test_a_table_without_a_delay_has_none(spark: SparkSession) -> None:
    table = {"kind": "table", "key": ["x"]}
    assert counted(spark, [row(0, 0, 5)], 1, **table) == CountedRead(
        read=SourceRead(records=1), rows=1, watermark_us=None
    )
