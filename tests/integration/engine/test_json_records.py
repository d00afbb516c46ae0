"""Heartbeats and unused fields, of which the shared tables say nothing."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.base.instants import instant_of
from jobs.engine.columns import column
from jobs.engine.formats.decoding import decoded
from jobs.engine.formats.native import decoder_spec
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed, Row
from tests.support.wide_records import WIDE_RECORDS, WideRecord

pytestmark = pytest.mark.integration

RAW = (
    "value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>, timestamp_us BIGINT, partition INT, "
    "offset BIGINT"
)


def raw_frame(
    spark: SparkSession, values: list[bytes | None], timestamp_us: int, headers: list[Any] | None = None
) -> DataFrame:
    rows = [(value, headers, timestamp_us, 0, offset) for offset, value in enumerate(values)]
    return (
        spark.createDataFrame(rows, RAW)
        .coalesce(1)
        .withColumn("timestamp", column("timestamp_micros(timestamp_us)"))
    )


def test_a_heartbeat_carries_only_its_time(spark: SparkSession) -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int", "nullable": False}]})
    header = [("weir-heartbeat", b"2026-01-02T00:00:00Z")]
    got = decoded(
        raw_frame(spark, [b"anything", None], 1_767_261_600_000_000, header), contract, ("a",)
    ).collect()
    assert [(row["_heartbeat"], row["_reason"], row["a"]) for row in got] == [(True, None, None)] * 2
    assert all(instant_of(row["_time"].astimezone()) == 1_767_312_000_000_000 for row in got)


def test_a_heartbeat_without_an_instant_is_malformed(spark: SparkSession) -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int"}]})
    got = decoded(
        raw_frame(spark, [b"{}"], 1_767_261_600_000_000, [("weir-heartbeat", b"soon")]), contract, ("a",)
    ).collect()
    assert [row["_reason"] for row in got] == ["TIME_MISSING"]


def test_unused_fields_are_not_parsed(spark: SparkSession) -> None:
    contract = StreamContract.model_validate(
        {"fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]}
    )
    got = decoded(raw_frame(spark, [b'{"a":1,"b":"x"}'], 1_767_261_600_000_000), contract, ("a",)).collect()
    assert [(row["a"], row["b"], row["_reason"]) for row in got] == [(1, None, None)]


HOSTILE = {
    "a quote that is never closed": b"{" * 70 + b'"' + b'\\"' * 490_000,
    "one that ends in half an escape": b"{" * 70 + b'"' + b'\\"' * 490_000 + b"\\",
    "escaped line breaks in one": b"{" * 70 + b'"' + b'a\\"' * 300_000 + b"\\\n",
    "brackets in one": b'{"a":"' + b"[" * 900_000,
    "brackets in a closed one": b'{"a":"' + b"[" * 900_000 + b'"}',
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_quotes_takes_no_longer_than_reading_it(spark: SparkSession, name: str) -> None:
    """Tried again from each quote, the count of open brackets took hours for one such record."""
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "string"}]})
    value = HOSTILE[name]
    got = decoded(raw_frame(spark, [value], 1_767_261_600_000_000), contract, ("a",)).collect()
    expected = decode(value, None, contract, 1_767_261_600_000_000)
    assert [row["_reason"] for row in got] == [expected.reason if isinstance(expected, Malformed) else None]


NUMBERS = [
    b'{"a":' + text + b"}"
    for text in (
        b"9" * 900_000,
        b"0." + b"0" * 900_000 + b"1",
        b"1." + b"9" * 900_000,
        b"9" * 900_000 + b"e-899999",
        b"1e999999999",
        b"-1e-999999999",
        b"1e" + b"9" * 900_000,
        b'"' + b"0" * 900_000 + b'7"',
    )
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", ["double", "decimal(38,10)"])
def test_a_megabyte_of_digits_takes_no_longer_than_reading_it(spark: SparkSession, kind: str) -> None:
    """A power of ten, or a whole number of a megabyte, would take minutes and the heap."""
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": kind}]})
    got = decoded(raw_frame(spark, list(NUMBERS), 1_767_261_600_000_000), contract, ("a",)).collect()
    for row, value in zip(got, NUMBERS, strict=True):
        expected = decode(value, None, contract, 1_767_261_600_000_000)
        if isinstance(expected, Malformed):
            assert row["_reason"] == expected.reason
        else:
            assert isinstance(expected, Row)
            assert (row["_reason"], row["a"]) == (None, expected.values["a"])


@pytest.mark.long  # the code of each contract is generated and compiled for hundreds of fields
@pytest.mark.timeout(300)
def test_wide_records_are_what_python_says(spark: SparkSession) -> None:
    """One of them took the heap of an engine: a megabyte of objects, each of a hundred members."""
    by_contract: dict[str, list[WideRecord]] = {}
    for record in WIDE_RECORDS:
        by_contract.setdefault(record.contract.model_dump_json(), []).append(record)
    for records in by_contract.values():
        contract = records[0].contract
        raw = raw_frame(spark, [record.value for record in records], 1_767_261_600_000_000)
        got = decoded(raw, contract, contract.schema_of_rows.names).select("_reason").collect()
        said = {record.title: row["_reason"] for record, row in zip(records, got, strict=True)}
        assert said == {record.title: record.reason for record in records}


def test_a_member_that_comes_again_costs_no_more_than_its_length(spark: SparkSession) -> None:
    """However many fields are inside it: each is given up once for each time that it was read."""
    names = [f"f{number}" for number in range(500)]
    contract = StreamContract.model_validate(
        {"fields": [{"name": name, "type": "int", "path": ["a", name]} for name in names]}
    )
    spec = decoder_spec(contract, contract.read_fields)
    jvm: Any = spark.sparkContext._jvm
    decoder = jvm.weir.decode.JsonDecoder(spec)

    def fastest(member: bytes) -> float:
        value = b"{" + member * 140_000 + b'"b":0}'
        took = []
        for _ in range(5):
            began = jvm.System.nanoTime()
            decoder.decode(value)
            took.append(jvm.System.nanoTime() - began)
        return min(took)

    other = fastest(b'"c":0,')
    assert fastest(b'"a":0,') < 8 * other
    assert fastest(b'"a":{},') < 8 * other
