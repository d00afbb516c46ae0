"""The shared tables of records give the same rows and reasons in Spark as in Python."""

import json
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.engine.columns import column
from jobs.engine.formats.decoding import decoded
from jobs.engine.sinks.kafka import row_json_sql
from jobs.expressions.texts_sql import INSTANT_PATTERN
from jobs.formats.contract import StreamContract
from jobs.operators.relation import Relation
from tests.support.record_tables import GROUP_IDS, GROUPS, TABLES, expected_of, headers_of, key_of, value_of

pytestmark = pytest.mark.integration

TIME_TEXT = f"""CASE WHEN _reason IS NULL THEN date_format(_time, "{INSTANT_PATTERN}") END"""
RAW = (
    "value BINARY, key BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>, timestamp_us BIGINT, "
    "partition INT, offset BIGINT"
)


Record = tuple[bytes | None, bytes | None, list[tuple[str, bytes | None]]]


def record_of(case: dict[str, Any]) -> Record:
    """Value, key and headers of a case."""
    return value_of(case), key_of(case), headers_of(case)


def raw_frame(spark: SparkSession, records: list[Record], timestamp_us: int) -> DataFrame:
    # Spark's Kafka source gives null for a record without headers, no empty list.
    rows = [
        (value, key, headers or None, timestamp_us, 0, offset)
        for offset, (value, key, headers) in enumerate(records)
    ]
    return (
        spark.createDataFrame(rows, RAW)
        .coalesce(1)
        .withColumn("timestamp", column("timestamp_micros(timestamp_us)"))
    )


def seen(got: Any, *, is_table: bool) -> dict[str, Any]:
    if got["_reason"]:
        return {"skipped": True} if got["_reason"] == "SKIPPED" else {"reason": got["_reason"]}
    if got["_heartbeat"]:
        return {"skipped": True}
    return {
        "row": json.loads(got["row"]),
        "time": got["time"],
        "deleted": got["_deleted"] if is_table else False,
    }


# Each group is a plan of its own, of some seconds; the decoder in Python takes all of them in every run.
IN_EVERY_RUN = (
    "csv: one line", "csv: types", "csv: times and bytes", "csv: columns by name", "json: form of the record",
    "json: boolean", "json: int", "json: long", "json: double", "json: decimal", "json: string",
    "json: bytes",
    "json: timestamp", "json: date",
    "json: nested", "json: texts inside", "json: required fields", "json: event time: milliseconds",
    "json: event time: ISO text",
    "json: event time: pattern in a zone", "json: event time: too far ahead", "keyed: a compacted table",
    "keyed: keys of other types", "keyed: framed JSON", "text: a text with its key", "heartbeat: a stream",
    "heartbeat: a table",
    "schema_json: held to a schema", "path: members as they are in the world", "path: any text is a name",
    "path: nested members",
    "path: keys under other names",
    "schema_json: framed and held to a schema", "schema_json: a table held to a schema",
)  # fmt: skip
CASES = [
    pytest.param(name, group, id=shown, marks=[] if shown in IN_EVERY_RUN else [pytest.mark.long])
    for (name, group), shown in zip(GROUPS, GROUP_IDS, strict=True)
]


@pytest.mark.parametrize(("name", "group"), CASES)
def test_the_tables(spark: SparkSession, name: str, group: dict[str, Any]) -> None:
    contract = StreamContract.model_validate(group["contract"])
    schema, is_table = contract.schema_of_rows, contract.kind == "table"
    records = [record_of(case) for case in group["cases"]]
    shown = [
        column("_reason"),
        column("_heartbeat"),
        column(TIME_TEXT, "time"),
        column(row_json_sql(Relation(schema)), "row"),
    ]
    frame = decoded(raw_frame(spark, records, TABLES[name]["timestamp_us"]), contract, schema.names)
    rows = frame.select(*shown, *([column("_deleted")] if is_table else []))
    wrong = []
    for case, got in zip(group["cases"], rows.collect(), strict=True):
        if seen(got, is_table=is_table) != expected_of(case):
            wrong.append(f"{case['title']}: {seen(got, is_table=is_table)} instead of {expected_of(case)}")
    assert not wrong, "\n".join(wrong)
