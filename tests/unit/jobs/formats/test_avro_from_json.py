"""JSON in the form of rows becomes Avro records: what is written is read back as the same row."""

import json
from random import Random
from typing import Any

import pytest

from jobs.formats.avro_from_json import NotWritableError, avro_bytes
from jobs.formats.avro_records import read_datum
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.records import Malformed, Row, json_value
from jobs.formats.schema_fields import schema_fields
from tests.support.random_avro import random_pair


def record(*fields: tuple[Any, ...], name: str = "R") -> dict[str, Any]:
    named = [
        {"name": field[0], "type": field[1], **({"default": field[2]} if len(field) > 2 else {})}
        for field in fields
    ]
    return {"type": "record", "name": name, "fields": named}


def logical(kind: Any, word: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": word, **more}


INNER = record(("x", "int"), ("y", ["null", "string"]), name="Inner")
WHOLE = record(
    ("b", "boolean"), ("i", "int"), ("l", "long"), ("f", "double"), ("s", "string"), ("raw", "bytes"),
    ("kind", {"type": "enum", "name": "K", "symbols": ["A", "B"]}),
    ("fixed", {"type": "fixed", "name": "F", "size": 2}),
    ("d", logical("bytes", "decimal", precision=6, scale=2)), ("day", logical("int", "date")),
    ("ms", logical("long", "timestamp-millis")), ("us", logical("long", "timestamp-micros")),
    ("u", logical("string", "uuid")),
    ("list", {"type": "array", "items": ["null", "long"]}), ("map", {"type": "map", "values": "double"}),
    ("inner", INNER),
    ("maybe", ["null", "Inner"]), ("several", ["null", "string", "Inner", {"type": "array", "items": "int"}]),
)  # fmt: skip
ROW = {
    "b": True, "i": -5, "l": 2**60, "f": 1.5, "s": "ü", "raw": "AAH/", "kind": "B", "fixed": "AQI=",
    "d": "-123.45", "day": "2026-01-31",
    "ms": "2026-01-31T10:00:00.123000Z", "us": "2026-01-31T10:00:00.123456Z",
    "u": "8c9e6679-7425-40de-944b-e07fc1f90ae7",
    "list": [1, None], "map": {"a": 0.5}, "inner": {"x": 1, "y": None}, "maybe": {"x": 2, "y": "z"},
    "several": {"member0": None, "member1": {"x": 3, "y": None}, "member2": None},
}  # fmt: skip


def enum(name: str, *symbols: str) -> dict[str, Any]:
    return {"type": "enum", "name": name, "symbols": list(symbols)}


def members(count: int, at: int, value: Any) -> dict[str, Any]:
    return {f"member{place}": value if place == at else None for place in range(count)}


# Unions of types that have values in common as Python has them, and a value of each branch.
UNIONS: list[tuple[list[Any], list[Any]]] = [
    (["null", "string", enum("C", "R")], ["R", "R"]),
    (["null", enum("A", "X", "Y"), enum("B", "X", "Z")], ["X", "X"]),
    (["null", "bytes", {"type": "fixed", "name": "T", "size": 3}], ["AAAA", "AAAA"]),
    (
        ["null", logical("int", "date"), logical("long", "timestamp-millis"), "string"],
        ["1970-01-02", "1970-01-02T00:00:00.000000Z", "1970-01-02"],
    ),
    (
        [record(("id", "string"), name="a.O"), record(("id", "string"), name="b.O")],
        [{"id": "x"}, {"id": "x"}],
    ),
]


def shown(raw: bytes, schema: dict[str, Any]) -> Any:
    return json_value(read_datum(raw, AvroEncoding(avro_schema=json.dumps(schema))))


def test_a_row_is_read_back_as_it_was_written() -> None:
    schema = json.dumps(WHOLE)
    assert schema_fields(AvroEncoding(avro_schema=schema)), "a schema that a stream can have"
    assert shown(avro_bytes(ROW, schema), WHOLE) == ROW


def test_rows_of_random_schemas_are_read_back_as_they_were_written() -> None:
    random, written = Random("rows as JSON"), 0
    for _ in range(60):
        pair = random_pair(random, 12)
        for record_bytes in pair.records:
            found = read_datum(record_bytes[5:], AvroEncoding(avro_schema=pair.writer))
            if not isinstance(found, Malformed):
                row = json_value(found)
                again = shown(avro_bytes(json.loads(json.dumps(row)), pair.writer), json.loads(pair.writer))
                assert repr(again) == repr(row), pair.writer
                written += 1
    assert written > 200


def test_a_contract_takes_what_is_written() -> None:
    schema = record(("id", "long"), ("note", ["null", "string"], None))
    contract = StreamContract.model_validate(
        {
            "encoding": {"format": "avro", "schema": json.dumps(schema)},
            "fields": [{"name": "id", "type": "long"}],
        }
    )
    found = decode(avro_bytes({"id": 7}, json.dumps(schema)), None, contract, 1_767_261_600_000_000)
    assert isinstance(found, Row)
    assert found.values == {"id": 7}


@pytest.mark.parametrize(
    ("kind", "given", "read"),
    [
        ("double", 3, 3.0),
        ("double", "NaN", "NaN"),
        (logical("bytes", "decimal", precision=4, scale=1), 12.5, "12.5"),
        (logical("bytes", "decimal", precision=4, scale=1), 7, "7.0"),
        ({**logical("fixed", "decimal", precision=4, scale=1), "name": "D", "size": 3}, "0.1", "0.1"),
        (logical("long", "timestamp-micros"), 1, "1970-01-01T00:00:00.000001Z"),
        (logical("long", "timestamp-nanos"), "2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000000Z"),
        (logical("int", "date"), 0, "1970-01-01"),
        (logical("bytes", "decimal", precision=38, scale=2), f"-{'9' * 36}.98", f"-{'9' * 36}.98"),
        (logical("bytes", "decimal", precision=38, scale=0), int("1234567890" * 3), "1234567890" * 3),
        ("float", 3.4028234663852886e38, 3.4028234663852886e38),
        (["int", "long"], 2**40, 2**40),
        (["null", "string", INNER], "plain", {"member0": "plain", "member1": None}),
        *(
            (union, {f"member{at}": value}, members(len(values), at, value))
            for union, values in UNIONS
            for at, value in enumerate(values)
        ),
    ],
)
def test_other_ways_to_write_a_value(kind: Any, given: Any, read: Any) -> None:
    schema = record(("v", kind))
    assert shown(avro_bytes({"v": given}, json.dumps(schema)), schema) == {"v": read}


@pytest.mark.parametrize(
    ("field", "read"),
    [
        (("v", "int", 4), 4),
        (("v", ["null", "int"]), None),
        (("v", ["null", "int"], None), None),
        (("v", ["int", "null"], 1), 1),
        (("v", "bytes", "\u00ff"), "/w=="),
        (("v", INNER, {"x": 1, "y": None}), {"x": 1, "y": None}),
        (("v", record(("raw", "bytes"), name="Raw"), {"raw": "\u00ff"}), {"raw": "/w=="}),
        (("v", ["bytes", "int"], 5), {"member0": None, "member1": 5}),
        (("v", ["int", "bytes"], "\u00ff"), {"member0": None, "member1": "/w=="}),
    ],
)
def test_what_is_left_out(field: tuple[Any, ...], read: Any) -> None:
    schema = record(field)
    assert shown(avro_bytes({}, json.dumps(schema)), schema) == {"v": read}


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        ("int", 2**31, "integer of 32 bits"),
        ("int", True, "integer"),
        ("long", "5", "integer"),
        ("boolean", 1, "true or false"),
        ("string", 5, "a string"),
        ("bytes", "§", "base64"),
        ({"type": "fixed", "name": "F", "size": 2}, "AQ==", "2 base64-encoded bytes"),
        ({"type": "enum", "name": "K", "symbols": ["A", "B"]}, "C", "one of A, B"),
        (logical("bytes", "decimal", precision=4, scale=1), "1.25", "a decimal of 4 digits"),
        (logical("bytes", "decimal", precision=4, scale=1), "1000", "a decimal of 4 digits"),
        (logical("bytes", "decimal", precision=4, scale=1), "NaN", "a decimal"),
        (logical("bytes", "decimal", precision=4, scale=1), "1_0", "a decimal"),
        (logical("bytes", "decimal", precision=4, scale=1), "\u0663", "a decimal"),
        (logical("bytes", "decimal", precision=4, scale=1), "1e-999999999", "a decimal"),
        ("double", 10**400, "a number of double precision"),
        ("double", float("inf"), "a number of double precision"),
        ("float", 1e39, "a number of float precision"),
        (logical("bytes", "decimal", precision=4, scale=1), "1e999999999", "a decimal"),
        (logical("long", "timestamp-millis"), "2026-01-31T10:00:00.0001Z", "too precise"),
        (logical("long", "timestamp-micros"), "soon", "isn't a timestamp"),
        (logical("int", "date"), "31.1.2026", "isn't a date"),
        (logical("string", "uuid"), "x", "UUID"),
        ({"type": "array", "items": "int"}, {"a": 1}, "an array"),
        ({"type": "array", "items": "int"}, [1, "b"], r"v\[1\]"),
        (INNER, {"x": 1, "z": 2}, "v has no field 'z'"),
        (INNER, {"y": None}, "v.x is required"),
        (["null", "string", "int"], {"a": 1}, "the value matches none of them"),
        (["null", "string"], 5, "v isn't a string"),
    ],
)
def test_what_does_not_fit_is_named(kind: Any, given: Any, words: str) -> None:
    with pytest.raises(NotWritableError, match=words):
        avro_bytes({"v": given}, json.dumps(record(("v", kind))))


def test_unknown_and_missing_members_are_named() -> None:
    schema = json.dumps(record(("id", "long")))
    with pytest.raises(NotWritableError, match="has no field 'ID'"):
        avro_bytes({"ID": 1}, schema)
    with pytest.raises(NotWritableError, match=r"id is required \(long\)"):
        avro_bytes({}, schema)
    with pytest.raises(NotWritableError, match="an object"):
        avro_bytes([1], schema)


@pytest.mark.parametrize(
    ("branches", "value", "read"),
    [
        (["null", "float", "double"], 0.1, 0.1),
        (["null", "float", "double"], 16_777_217, 16_777_217.0),
        (["null", "float", "double"], 0.5, 0.5),
        (["null", "float"], 0.1, 0.10000000149011612),
        (["null", "double", "long"], 2**53 + 1, members(2, 1, 2**53 + 1)),
        (["null", "double", "long"], 2.5, members(2, 0, 2.5)),
        (["null", "float", "string"], 0.1, members(2, 0, 0.10000000149011612)),
    ],
)
def test_a_number_is_written_as_the_branch_that_keeps_its_digits(
    branches: list[str], value: float, read: Any
) -> None:
    schema = json.dumps(record(("a", branches)))
    assert read_datum(avro_bytes({"a": value}, schema), AvroEncoding(avro_schema=schema)) == {"a": read}
