"""Hostile Avro schemas and payloads are refused quickly and in little memory (`facts/security.md` 3, 10)."""

import json
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed

NULLS = {"type": "array", "items": "null"}
EMPTY = {"type": "array", "items": {"type": "record", "name": "Empty", "fields": []}}


def record(*fields: tuple[str, Any], name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": field, "type": kind} for field, kind in fields]}


def doubling(levels: int) -> dict[str, Any]:
    """A schema whose size, written out, doubles with every level."""
    inner: Any = record(("x", "int"), name="L0")
    for level in range(1, levels):
        inner = record(("a", inner), ("b", f"L{level - 1}"), name=f"L{level}")
    return record(("top", inner))


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    tracemalloc.start()
    began = time.process_time()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert time.process_time() - began < 15  # of this process, however busy the machine is
    assert peak < 60_000_000


@pytest.mark.parametrize(
    "schema",
    [
        record(("a", NULLS)),
        record(("a", EMPTY)),
        record(("a", {"type": "array", "items": {"type": "fixed", "name": "Z", "size": 0}})),
        {"type": "record", "name": "T", "fields": [{"name": "n", "type": ["null", "T"]}]},
        {"type": "record", "name": "T", "fields": [{"name": "n", "type": {"type": "array", "items": "T"}}]},
        record(*((f"f{i}", "int") for i in range(5_000))),
        doubling(15),
        record(("a", "null")),
        record(("a", {"type": "bytes", "logicalType": "decimal", "precision": 50, "scale": 2})),
        record(("a", record(("_x", "int"), name="In"))),
        "string",
        record(),
        {"type": "fixed", "name": "F", "size": 2**40},
        {"type": "enum", "name": "E", "symbols": ["A", "A"]},
        record(("a", "Unknown")),
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int", "default": "x"}]},
        [["null"], "int"],
        ["int", "int"],
    ],
)
def test_schemas(schema: Any) -> None:
    with pytest.raises(AvroSchemaError):
        fields_of(parse_avro(json.dumps(schema)))


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"type":"array","items":' * 20_000 + '"int"' + "}" * 20_000, " " * 300_000, "null", "5"]
)
def test_texts_that_are_no_schema(text: str) -> None:
    with pytest.raises(AvroSchemaError):
        parse_avro(text)


def test_contracts_name_the_fault() -> None:
    schema = json.dumps(record(("a", "int"), ("b", "string")))
    for fields, code in (([("a", "long")], "TYPE_MISMATCH"), ([("x", "int")], "FIELD_UNKNOWN")):
        declared = [{"name": name, "type": type_} for name, type_ in fields]
        contract = StreamContract.model_validate({"encoding": {"format": "avro", "schema": schema}, "fields": declared})
        assert [str(found.code) for found in check_contract(contract)] == [code]
    recursive = json.dumps({"type": "record", "name": "T", "fields": [{"name": "n", "type": ["null", "T"]}]})
    contract = StreamContract.model_validate(
        {"encoding": {"format": "avro", "schema": recursive}, "fields": [{"name": "n", "type": "struct<n:int>"}]}
    )
    assert "holds itself" in check_contract(contract)[0].message


LISTED = record(("l", {"type": "array", "items": ["null", "string"]}), ("m", {"type": "map", "values": "bytes"}))
LISTS = StreamContract.model_validate(
    {
        "encoding": {"format": "avro", "schema": json.dumps(LISTED)},
        "fields": [{"name": "l", "type": "array<string>"}, {"name": "m", "type": "map<string,bytes>"}],
    }
)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_row_or_malformed(value: bytes) -> None:
    found = decode(value, None, LISTS, 1_000_000)
    assert not isinstance(found, Malformed) or (found.reason == "NOT_AVRO" and found.detail)


@pytest.mark.parametrize(
    "value", [b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x80\xc2\xd7\x2f" + b"\x00" * 1000, b"\x01" * 500_000, b"\xff" * 11]
)
def test_lying_lengths(value: bytes) -> None:
    found = decode(value, None, LISTS, 1_000_000)
    assert isinstance(found, Malformed)
    assert found.reason == "NOT_AVRO"
