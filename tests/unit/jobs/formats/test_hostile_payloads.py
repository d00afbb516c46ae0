"""Hostile records are decoded or refused in bounded time and memory (`docs/security.md#bodies`); not Avro."""

import json
from collections.abc import Iterator

import pytest

from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.infer import infer
from jobs.formats.records import Malformed
from tests.support.resource_limit import resource_limit

NOW_US = 1_767_261_600_000_000
FIELDS = [
    {"name": "n", "type": "long"},
    {"name": "d", "type": "decimal(20,5)"},
    {"name": "x", "type": "double"},
    {"name": "s", "type": "string"},
    {"name": "t", "type": "timestamp"},
    {"name": "b", "type": "bytes"},
    {"name": "l", "type": "array<int>"},
    {"name": "m", "type": "map<string,int>"},
]
FLAT = FIELDS[:5]
JSON = StreamContract.model_validate({"fields": FIELDS})
CSV = StreamContract.model_validate({"format": "csv", "fields": FLAT})
TEXT = StreamContract.model_validate({"format": "text", "fields": [{"name": "line", "type": "string"}]})
CHANGES = StreamContract.model_validate({"format": "debezium", "fields": FIELDS})
FRAMED = StreamContract.model_validate(
    {"encoding": {"format": "json", "framing": "confluent"}, "fields": FIELDS}
)
ALL = {"json": JSON, "csv": CSV, "text": TEXT, "debezium": CHANGES, "framed json": FRAMED}


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    with resource_limit():
        yield


def member(name: str, text: str) -> bytes:
    return f'{{"{name}":{text}}}'.encode()


PAYLOADS = {
    "brackets 100,000 deep": b"[" * 100_000,
    "objects 100,000 deep": b'{"l":' * 100_000,
    "deep inside a field": member("l", "[" * 100_000 + "]" * 100_000),
    "a number of a million digits": member("n", "9" * 1_000_000),
    "a decimal of a million digits": member("d", "0." + "1" * 900_000),
    "a decimal with a huge exponent": member("d", "1e999999999"),
    "a decimal with a tiny exponent": member("d", "1e-999999999"),
    "a double with a huge exponent": member("x", "1e999999999"),
    "a time of a million digits": member("t", '"' + "2" * 900_000 + '"'),
    "base64 that is none": member("b", '"' + "A" * 900_001 + '"'),
    "a list of 50,000": member("l", "[" + "1," * 50_000 + "1]"),
    "a map of 20,000": member("m", "{" + ",".join(f'"k{n}":1' for n in range(20_000)) + "}"),
    "20,000 members": ("{" + ",".join(f'"k{n}":1' for n in range(20_000)) + "}").encode(),
    "a key given 90,000 times": ("{" + ",".join('"n":1' for _ in range(90_000)) + "}").encode(),
    "escapes": member("s", '"' + "\\u0000" * 150_000 + '"'),
    "half of a pair": member("s", '"\\ud800"'),
    "quotes only": b'"' * 199_999,
    "a quote that is never closed": b"{" * 70 + b'"' + b'\\"' * 490_000,
    "one that ends in half an escape": b"{" * 70 + b'"' + b'\\"' * 490_000 + b"\\",
    "escaped line breaks in one": b"{" * 70 + b'"' + b'a\\"' * 300_000 + b"\\\n",
    "delimiters only": b"," * 99_999,
    "line breaks only": b"\n" * 999_999,
    "blanks only": b" " * 1_000_000,
    "no UTF-8": b"\xff\xfe" * 400_000,
    "two megabytes": b"{}" + b" " * 2_000_000,
    "NUL": b"\x00" * 100,
}


# What JSON holds is read by one code: other formats get what is hostile to themselves.
OF_ALL = (
    "brackets 100,000 deep",
    "quotes only",
    "delimiters only",
    "line breaks only",
    "no UTF-8",
    "two megabytes",
    "NUL",
)


@pytest.mark.parametrize(
    ("format", "name"), [(each, name) for each in ALL for name in (PAYLOADS if each == "json" else OF_ALL)]
)
def test_a_record_that_costs_much(format: str, name: str) -> None:
    contract, value = ALL[format], PAYLOADS[name]
    whole = b"\x00\x00\x00\x00\x01" + value if format == "framed json" else value
    found = decode(whole, None, contract, NOW_US)
    assert not isinstance(found, Malformed) or (found.reason and len(found.detail) < 1_000)


@pytest.mark.parametrize(
    "name", ["deep inside a field", "a decimal with a huge exponent", "a map of 20,000", "a list of 50,000"]
)
def test_inside_a_change_event(name: str) -> None:
    value = b'{"op":"c","after":' + PAYLOADS[name] + b"}"
    found = decode(value, None, CHANGES, NOW_US)
    assert not isinstance(found, Malformed) or found.reason


@pytest.mark.parametrize("size", range(5))
def test_a_frame_that_is_cut(size: int) -> None:
    found = decode(b"\x00" * size, None, FRAMED, NOW_US)
    assert isinstance(found, Malformed)
    assert found.reason == "NOT_FRAMED"


def test_a_sample_of_them() -> None:
    found = infer([*PAYLOADS.values()])
    assert len(found.fields) <= 500
    assert all(len(example) <= 80 for field in found.fields for example in field.examples)
    json.dumps([field.type for field in found.fields])
