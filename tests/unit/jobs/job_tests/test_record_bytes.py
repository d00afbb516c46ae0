"""Values in each record format: what is written is what the stream's decoder reads."""

import json
from decimal import Decimal
from typing import Any

import pytest

from jobs.base.instants import datetime_of
from jobs.document_text import read_text
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed, Row
from jobs.job_tests.record_bytes import CannotWriteError, key_bytes, value_bytes

START = 1_767_261_600_000_000
FIELDS = [
    {"name": "k", "type": "string"},
    {"name": "n", "type": "long"},
    {"name": "d", "type": "decimal(10,2)"},
    {"name": "t", "type": "timestamp"},
]
VALUES = {"k": 'a,"b', "n": 7, "d": 1.25, "t": "2s"}
AVRO = """{"type": "record", "name": "r", "fields": [
 {"name": "k", "type": ["null", "string"]}, {"name": "n", "type": ["null", "long"]},
 {"name": "d", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}]},
 {"name": "t", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]}]}"""

FORMATS: list[dict[str, Any]] = [
    {},
    {"encoding": {"format": "json", "framing": "confluent"}},
    {"fields": [{**FIELDS[0], "path": ["deep", 1, "k"]}, *FIELDS[1:]]},
    {"encoding": {"format": "csv"}},
    {"encoding": {"format": "csv", "delimiter": ";", "columns": ["t", "x", "n", "d", "k"]}},
    {"encoding": {"format": "avro", "schema": AVRO}},
    {"encoding": {"format": "avro", "schema": AVRO, "framing": "confluent", "writers": {3: AVRO}}},
    {"encoding": {"format": "debezium"}, "event_time": {"kind": "change"}},
    {
        "fields": [{**FIELDS[0], "path": ["deep", 1, "k"]}, *FIELDS[1:]],
        "encoding": {"format": "debezium"},
        "event_time": {"kind": "change"},
    },
    {"key": ["k", "n"]},
    {"key": ["n"], "key_encoding": {"format": "text"}},
]


@pytest.mark.parametrize("more", FORMATS, ids=lambda more: str(more)[:60])
def test_the_decoder_reads_what_was_written(more: dict[str, Any]) -> None:
    contract = StreamContract.model_validate({"fields": FIELDS, **more})
    value = value_bytes(VALUES, contract, START, START)
    row = decode(value, key_bytes(VALUES, contract, START), contract, START)
    assert isinstance(row, Row), row
    assert row.values == {"k": 'a,"b', "n": 7, "d": Decimal("1.25"), "t": datetime_of(START + 2_000_000)}


def test_a_number_that_stayed_text_in_the_document_is_a_number_in_the_record() -> None:
    document = read_text("{x: 1234567890123456.78, l: [0.30000000000000001], d: 1234567890123456.78}").value
    assert set(map(type, document.values())) == {str, list}
    contract = StreamContract.model_validate(
        {
            "fields": [
                {"name": "x", "type": "double"},
                {"name": "l", "type": "array<double>"},
                {"name": "d", "type": "decimal(18,2)"},
            ]
        }
    )
    row = decode(value_bytes(document, contract, START, START), None, contract, START)
    assert isinstance(row, Row), row
    assert row.values == {"x": 1234567890123456.78, "l": [0.3], "d": Decimal("1234567890123456.78")}
    quoted = decode(value_bytes({"x": "1.5"}, contract, START, START), None, contract, START)
    assert isinstance(quoted, Malformed)


WITHIN = [
    {"name": "user_id", "type": "long", "nullable": True, "path": ["user", "id"]},
    {"name": "user", "type": "struct<id:long,name:string>", "nullable": True},
]


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ({"user_id": 7}, {"user": {"id": 7}}),
        ({"user": {"name": "a"}, "user_id": 7}, {"user": {"name": "a", "id": 7}}),
        ({"user": {"id": 7}, "user_id": 7}, {"user": {"id": 7}}),
        ({"user": None}, {"user": None}),
        ({"user": None, "user_id": 7}, None),
        ({"user": {"id": 8}, "user_id": 7}, None),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_fields_that_are_read_from_one_place_are_written_once(
    values: dict[str, Any], written: dict[str, Any] | None, order: int
) -> None:
    contract = StreamContract.model_validate({"fields": WITHIN[::order]})
    given = dict(list(values.items())[::order])
    if written is not None:
        assert json.loads(value_bytes(given, contract, START, START)) == written
        return
    with pytest.raises(CannotWriteError, match=r"Several fields are read from user\.id, and their"):
        value_bytes(given, contract, START, START)


def test_a_csv_column_of_two_fields_is_there_once() -> None:
    fields = [{"name": "a", "type": "string", "path": ["x"]}, {"name": "b", "type": "string", "path": ["x"]}]
    fields.append({"name": "c", "type": "long"})
    contract = StreamContract.model_validate({"fields": fields, "encoding": {"format": "csv"}})
    value = value_bytes({"a": "1", "b": "1", "c": 2}, contract, START, START)
    row = decode(value, None, contract, START)
    assert isinstance(row, Row), row
    assert row.values == {"a": "1", "b": "1", "c": 2}
    with pytest.raises(CannotWriteError, match="Several fields are read from x"):
        value_bytes({"a": "1", "b": "2", "c": 2}, contract, START, START)


def test_text_is_its_one_field() -> None:
    contract = StreamContract.model_validate({"fields": FIELDS[:1], "encoding": {"format": "text"}})
    assert value_bytes({"k": "a line"}, contract, START, START) == b"a line"


def test_a_schema_without_an_id_is_refused() -> None:
    encoding = {"format": "avro", "schema": AVRO, "framing": "confluent"}
    contract = StreamContract.model_validate({"fields": FIELDS, "encoding": encoding})
    with pytest.raises(CannotWriteError, match="no registered ID"):
        value_bytes(VALUES, contract, START, START)


def test_a_text_that_is_left_out_is_refused() -> None:
    contract = StreamContract.model_validate({"fields": FIELDS[:1], "encoding": {"format": "text"}})
    assert value_bytes({"k": ""}, contract, START, START) == b""
    for values in ({}, {"k": None}):
        with pytest.raises(CannotWriteError, match=r"A text record holds no null: write k in values"):
            value_bytes(values, contract, START, START)


@pytest.mark.parametrize("values", [{}, {"k": None}])
def test_a_text_key_that_is_left_out_is_null(values: dict[str, Any]) -> None:
    contract = StreamContract.model_validate(
        {"fields": FIELDS[:2], "kind": "table", "key": ["k"], "key_encoding": {"format": "text"}}
    )
    assert key_bytes({"k": ""}, contract, START) == b""
    key = key_bytes(values, contract, START)
    assert key is None
    found = decode(value_bytes(values, contract, START, START), key, contract, START)
    assert isinstance(found, Malformed)
    assert found.reason == "KEY_NULL"


@pytest.mark.parametrize(
    "encoding", [{}, {"null_text": "NA"}, {"trim": True}, {"null_text": "NA", "trim": True}]
)
@pytest.mark.parametrize("text", ["", " ", " a", "a\t", "NA", " NA ", ' "a" ', "a\n", None])
def test_a_csv_value_is_read_as_it_was_said(encoding: dict[str, Any], text: str | None) -> None:
    contract = StreamContract.model_validate(
        {"fields": FIELDS[:2], "encoding": {"format": "csv", **encoding}}
    )
    row = decode(value_bytes({"k": text, "n": 1}, contract, START, START), None, contract, START)
    assert isinstance(row, Row), row
    assert row.values == {"k": text, "n": 1}


@pytest.mark.parametrize(
    ("encoding", "value"),
    [({"null_text": " NA", "trim": True}, None), ({"null_text": "a,b"}, None), ({}, "a\x00")],
)
def test_a_csv_value_that_would_be_read_as_another_is_refused(
    encoding: dict[str, Any], value: str | None
) -> None:
    contract = StreamContract.model_validate(
        {"fields": FIELDS[:2], "encoding": {"format": "csv", **encoding}}
    )
    with pytest.raises(CannotWriteError, match=r"The CSV of this stream can't hold .* in column k"):
        value_bytes({"k": value, "n": 1}, contract, START, START)
