"""What the registry says of leaves, and what the decoder does with them, is one: else a version that is let
in makes every record malformed.
"""

import json
from itertools import product
from typing import Any

import pytest

from jobs.formats.avro_resolution import NoResolution, resolve
from jobs.formats.avro_schema import parse_avro
from weir.schemas.services.avro_compatibility import avro_differences

FIXED: dict[str, Any] = {"type": "fixed", "name": "F", "size": 16}
LEAVES: dict[str, Any] = {
    **{kind: kind for kind in ("boolean", "int", "long", "float", "double", "string", "bytes")},
    "date": {"type": "int", "logicalType": "date"},
    "time-millis": {"type": "int", "logicalType": "time-millis"},
    "uuid": {"type": "string", "logicalType": "uuid"},
    "decimal": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
    "another scale": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3},
    "fixed": FIXED,
    "decimal in a fixed": {**FIXED, "logicalType": "decimal", "precision": 9},
    "uuid in a fixed": {**FIXED, "logicalType": "uuid"},
    **{
        logical: {"type": "long", "logicalType": logical}
        for logical in (
            *("time-micros", "timestamp-millis", "timestamp-micros", "timestamp-nanos"),
            *("local-timestamp-millis", "local-timestamp-micros"),
        )
    },
}
AROUND: dict[str, Any] = {
    "alone": lambda leaf: leaf,
    "an array": lambda leaf: {"type": "array", "items": leaf},
    "a map": lambda leaf: {"type": "map", "values": leaf},
    "a record": lambda leaf: {"type": "record", "name": "R", "fields": [{"name": "f", "type": leaf}]},
    "a field that may be null": lambda leaf: {
        "type": "record",
        "name": "R",
        "fields": [{"name": "f", "type": ["null", leaf]}],
    },
}


def schema(name: str, around: str = "alone") -> Any:
    return parse_avro(json.dumps(AROUND[around](LEAVES[name])))


@pytest.mark.parametrize("around", AROUND)
def test_the_decoder_reads_what_the_registry_lets_in(around: str) -> None:
    differ = []
    for written, read in product(LEAVES, LEAVES):
        writer = schema(written, "a record" if around == "a field that may be null" else around)
        reader = schema(read, around)
        try:
            resolve(writer, reader)
            reads = True
        except NoResolution:
            reads = False
        if reads == bool(avro_differences(reader, writer)):
            differ.append((written, read))
    assert not differ


@pytest.mark.parametrize("around", ["alone", "a field that may be null"])
@pytest.mark.parametrize(
    ("written", "read", "rule", "message"),
    [
        ("date", "timestamp-millis", "LOGICAL_TYPE_MISMATCH", "date can't be read as timestamp-millis."),
        ("uuid", "decimal", "LOGICAL_TYPE_MISMATCH", "uuid can't be read as decimal(9,2)."),
        ("string", "decimal", "LOGICAL_TYPE_MISMATCH", "A text can't be read as decimal."),
        ("decimal", "another scale", "DECIMAL_MISMATCH", "decimal(9,2) can't be read as decimal(9,3)."),
    ],
)
def test_a_refusal_names_what_the_values_mean(
    written: str, read: str, rule: str, message: str, around: str
) -> None:
    writer = schema(written, "a record" if around != "alone" else around)
    found = avro_differences(schema(read, around), writer)
    assert [(gap.rule, gap.path, gap.message) for gap in found] == [
        (rule, "" if around == "alone" else "f", message)
    ]


ENUMS = [
    {"type": "enum", "name": "v1.Status", "symbols": ["A"]},
    {"type": "enum", "name": "v2.Status", "symbols": ["A", "B"]},
]


@pytest.mark.parametrize("union", [ENUMS, ENUMS[::-1]])
def test_of_a_union_the_branch_counts_that_the_decoder_takes(union: list[Any]) -> None:
    """That of the whole name, though another could read all that is written."""
    reader = parse_avro(json.dumps(union))
    writer = parse_avro(json.dumps({"type": "enum", "name": "v1.Status", "symbols": ["A", "B"]}))
    read = resolve(writer, reader)
    with pytest.raises(NoResolution):
        read("B")
    assert [found.rule for found in avro_differences(reader, writer)] == ["MISSING_ENUM_SYMBOLS"]
    newer = parse_avro(json.dumps({"type": "enum", "name": "v3.Status", "symbols": ["A", "B"]}))
    assert bool(avro_differences(reader, newer)) == (union is ENUMS), "the first of the short name"
