"""The shared table of records gives the same rows and reasons in Spark as in Python."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.base.instants import instant_of
from jobs.engine.columns import column
from jobs.engine.formats.json_records import decoded
from jobs.engine.identity import INSTANT_PATTERN
from jobs.engine.sinks.kafka import row_json_sql
from jobs.formats.contract import StreamContract
from jobs.operators.relation import Relation

pytestmark = pytest.mark.integration

TABLE = json.loads((Path(__file__).parents[2] / "golden" / "json_records.json").read_text("utf-8"))
TIME_TEXT = f"""CASE WHEN _reason IS NULL THEN date_format(_time, "{INSTANT_PATTERN}") END"""
RAW = "value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>, timestamp_us BIGINT, partition INT, offset BIGINT"


def raw_frame(spark: SparkSession, values: list[bytes | None], append_time_us: int, headers: list[Any] | None = None) -> DataFrame:
    rows = [(value, headers, append_time_us, 0, offset) for offset, value in enumerate(values)]
    return spark.createDataFrame(rows, RAW).coalesce(1).withColumn("timestamp", column("timestamp_micros(timestamp_us)"))


def value_of(case: dict[str, Any]) -> bytes | None:
    if "value_hex" in case:
        return bytes.fromhex(case["value_hex"])
    return None if case["value"] is None else case["value"].encode().ljust(case.get("pad_to", 0))


@pytest.mark.parametrize("group", TABLE["groups"], ids=[group["title"] for group in TABLE["groups"]])
def test_the_table(spark: SparkSession, group: dict[str, Any]) -> None:
    contract = StreamContract.model_validate(group["contract"])
    schema = contract.schema_of_rows
    frame = raw_frame(spark, [value_of(case) for case in group["cases"]], TABLE["append_time_us"])
    rows = decoded(frame, contract, schema.names).select(
        column("_reason"), column(TIME_TEXT, "time"), column(row_json_sql(Relation(schema)), "row")
    )
    wrong = []
    for case, got in zip(group["cases"], rows.collect(), strict=True):
        seen: dict[str, Any] = {"reason": got["_reason"]} if got["_reason"] else {"row": json.loads(got["row"])}
        if "time" in case and not got["_reason"]:
            seen["time"] = got["time"]
        wanted = {name: case[name] for name in ("reason", "row", "time") if name in case}
        if seen != wanted:
            wrong.append(f"{case['title']}: {seen} instead of {wanted}")
    assert not wrong, "\n".join(wrong)


def test_a_heartbeat_carries_only_its_time(spark: SparkSession) -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int", "nullable": False}]})
    header = [("weir-heartbeat", b"2026-01-02T00:00:00Z")]
    got = decoded(raw_frame(spark, [b"anything", None], 1_767_261_600_000_000, header), contract, ("a",)).collect()
    assert [(row["_heartbeat"], row["_reason"], row["a"]) for row in got] == [(True, None, None)] * 2
    assert all(instant_of(row["_time"].astimezone()) == 1_767_312_000_000_000 for row in got)


def test_a_heartbeat_without_an_instant_is_malformed(spark: SparkSession) -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int"}]})
    got = decoded(raw_frame(spark, [b"{}"], 1_767_261_600_000_000, [("weir-heartbeat", b"soon")]), contract, ("a",)).collect()
    assert [row["_reason"] for row in got] == ["TIME_MISSING"]


def test_unused_fields_are_not_parsed(spark: SparkSession) -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]})
    got = decoded(raw_frame(spark, [b'{"a":1,"b":"x"}'], 1_767_261_600_000_000), contract, ("a",)).collect()
    assert [(row["a"], row["b"], row["_reason"]) for row in got] == [(1, None, None)]
