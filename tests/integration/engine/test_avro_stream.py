"""A streaming query over framed Avro: schema versions, counted malformed records, and the watermark."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.engine.columns import column
from jobs.engine.sources.kafka import read_source
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from jobs.operators.relation import Relation
from jobs.plan import SourceBound
from tests.support.batch_query import BatchQuery

pytestmark = [pytest.mark.integration, pytest.mark.long]

AT = {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}
V1 = {"type": "record", "name": "R", "fields": [AT]}
V2 = {"type": "record", "name": "R", "fields": [AT, {"name": "n", "type": "int", "default": 7}]}
CONTRACT = StreamContract.model_validate(
    {
        "encoding": {
            "format": "avro",
            "schema": json.dumps(V2),
            "framing": "confluent",
            "writers": {1: json.dumps(V1), 2: json.dumps(V2)},
        },
        "fields": [{"name": "at", "type": "timestamp"}, {"name": "n", "type": "int"}],
        "event_time": {"kind": "field", "field": "at"},
        "delay": "0s",
    }
)


def raw(frame: DataFrame) -> DataFrame:
    return frame.select(
        column("unbase64(value)", "value"),
        column("cast(NULL AS BINARY)", "key"),
        column("cast(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>)", "headers"),
        column("timestamp_seconds(1)", "timestamp"),
        column("0", "partition"),
        column("0L", "offset"),
    )


def counted(frames: Any) -> DataFrame:
    rows = read_source(
        "s", raw(frames["s"]), SourceBound(CONTRACT, ("at", "n")), Relation(CONTRACT.schema_of_rows)
    ).frame
    windows = rows.groupBy(column("window(_time, '1 second')", "w")).agg(
        column("sum(n)", "n"), column("count(1)", "rows")
    )
    return windows.select("n", "rows")


def zigzag(number: int) -> bytes:
    rest, out = (number << 1) ^ (number >> 63), bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def record(schema_id: int, at_ms: int, *more: int) -> dict[str, str]:
    body = b"".join(map(zigzag, (at_ms, *more)))
    return {"value": base64.b64encode(framed(schema_id, body)).decode()}


def test_versions_in_one_stream(spark: SparkSession, tmp_path: Path) -> None:
    query = BatchQuery(spark, tmp_path, {"s": "value STRING"}, counted)
    assert (
        query.batch({"s": [record(1, 1_000), record(2, 1_500, 3), record(9, 1_600), record(2, 1_700)]}) == []
    )
    assert query.batch({"s": [record(2, 9_000, 1)]}) == []
    assert query.batch({}) == [{"n": 10, "rows": 2}]
