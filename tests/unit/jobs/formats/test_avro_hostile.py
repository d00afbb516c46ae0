"""Hostile Avro schemas and payloads are refused quickly and in little memory (`docs/security.md#bodies`)."""

import json
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.types import BYTES
from jobs.formats.avro_byte_checks import MAX_ITEMS, exceeds_item_limit
from jobs.formats.avro_records import read_datum
from jobs.formats.avro_resolution import MAX_STEPS, NoResolution, Resolution, resolve
from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.decoding import decode
from jobs.formats.framing import framed
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.records import Malformed, Row
from tests.support.resource_limit import resource_limit
from tests.support.wide_records import versions

pytestmark = pytest.mark.thorough

NULLS = {"type": "array", "items": "null"}
EMPTY = {"type": "array", "items": {"type": "record", "name": "Empty", "fields": []}}


def record(*fields: tuple[str, Any], name: str = "R") -> dict[str, Any]:
    return {
        "type": "record",
        "name": name,
        "fields": [{"name": field, "type": kind} for field, kind in fields],
    }


def doubling(levels: int) -> dict[str, Any]:
    """A schema whose size, written out, doubles with every level."""
    inner: Any = record(("x", "int"), name="L0")
    for level in range(1, levels):
        inner = record(("a", inner), ("b", f"L{level - 1}"), name=f"L{level}")
    return record(("top", inner))


@pytest.fixture(scope="module", autouse=True)
def _characters() -> None:
    """The first text that Hypothesis draws in a clone costs 200 MB: a table of all characters."""

    @settings(max_examples=1, database=None)
    @given(st.text())
    def draw(_: str) -> None:
        pass

    draw()


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    with resource_limit():
        yield


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
        record(("a", record(("x" * 64, "int"), name="In"))),
        "string",
        record(),
        {"type": "fixed", "name": "F", "size": 2**40},
        {"type": "enum", "name": "E", "symbols": ["A", "A"]},
        record(("a", "Unknown")),
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int", "default": "x"}]},
        {"type": "enum", "name": "E", "symbols": ["A"], "default": []},
        {"type": "enum", "name": "E", "symbols": ["A"], "default": {}},
        {"type": "fixed", "name": "F", "size": True},
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "string", "default": "\ud800"}]},
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "double", "default": float("nan")}]},
        {"type": "record", "name": "R", "doc": float("inf"), "fields": [{"name": "a", "type": "int"}]},
        [["null"], "int"],
        ["int", "int"],
        record(("a", "int"), name="_weir.R"),
        {**record(("a", "int")), "namespace": "_weir.branch"},
    ],
)
def test_schemas(schema: Any) -> None:
    with pytest.raises(AvroSchemaError):
        fields_of(parse_avro(json.dumps(schema)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        '{"type":"array","items":' * 20_000 + '"int"' + "}" * 20_000,
        " " * 300_000,
        "null",
        "5",
    ],
)
def test_texts_that_are_no_schema(text: str) -> None:
    with pytest.raises(AvroSchemaError):
        parse_avro(text)


def test_a_precision_that_is_no_number_is_no_decimal() -> None:
    kind = {"type": "bytes", "logicalType": "decimal", "precision": True, "scale": False}
    assert fields_of(parse_avro(json.dumps(record(("a", kind)))))[0].type == BYTES


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_json_is_a_schema_or_refused(data: st.DataObject) -> None:
    anything = st.recursive(
        st.one_of(
            st.none(), st.booleans(), st.integers(-2, 70), st.floats(), st.text(max_size=3),
            st.sampled_from(("record", "enum", "fixed", "array", "map", "int", "long", "null", "bytes",
                             "string", "a", "R", "decimal", "date", "uuid", "\ud800")),
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(("type", "name", "namespace", "fields", "items", "values", "symbols", "size",
                                 "default", "aliases", "logicalType", "precision", "scale")),
                inner,
                max_size=5,
            ),
        ),
        max_leaves=12,
    )  # fmt: skip
    schema = data.draw(anything)
    with suppress(AvroSchemaError):
        fields_of(parse_avro(json.dumps(schema)))


def test_contracts_name_the_fault() -> None:
    schema = json.dumps(record(("a", "int"), ("b", "string")))
    for fields, code in (([("a", "long")], "TYPE_MISMATCH"), ([("x", "int")], "FIELD_UNKNOWN")):
        declared = [{"name": name, "type": type_} for name, type_ in fields]
        contract = StreamContract.model_validate(
            {"encoding": {"format": "avro", "schema": schema}, "fields": declared}
        )
        assert [str(found.code) for found in check_contract(contract)] == [code]
    recursive = json.dumps({"type": "record", "name": "T", "fields": [{"name": "n", "type": ["null", "T"]}]})
    contract = StreamContract.model_validate(
        {
            "encoding": {"format": "avro", "schema": recursive},
            "fields": [{"name": "n", "type": "struct<n:int>"}],
        }
    )
    assert "contains itself" in check_contract(contract)[0].message


LISTED = record(
    ("l", {"type": "array", "items": ["null", "string"]}), ("m", {"type": "map", "values": "bytes"})
)
LISTS = StreamContract.model_validate(
    {
        "encoding": {"format": "avro", "schema": json.dumps(LISTED)},
        "fields": [{"name": "l", "type": "array<string>"}, {"name": "m", "type": "map<string,bytes>"}],
    }
)


@pytest.mark.parametrize(
    "value",
    [
        b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x80\xc2\xd7\x2f" + b"\x00" * 1000,
        b"\x01" * 500_000,
        b"\xff" * 11,
    ],
)
def test_lying_lengths(value: bytes) -> None:
    found = decode(value, None, LISTS, 1_000_000)
    assert isinstance(found, Malformed)
    assert found.reason == "NOT_AVRO"


def as_many_as_bytes(count: int) -> bytes:
    """A block of items that take one byte each, and the end of the list."""
    zigzag, head = count << 1, b""
    while zigzag > 0x7F:
        head, zigzag = head + bytes([zigzag & 0x7F | 0x80]), zigzag >> 7
    return head + bytes([zigzag]) + b"\x00" * count + b"\x00"


ITEMS: list[tuple[Any, str]] = [
    ("boolean", "array<boolean>"),
    (["null", "long"], "array<long>"),
    ({"type": "array", "items": "int"}, "array<array<int>>"),
    ({"type": "record", "name": "I", "fields": [{"name": "n", "type": "int"}]}, "array<struct<n:int>>"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, "array<decimal(4,2)>"),
]


@pytest.mark.parametrize(
    ("items", "type_"),
    ITEMS,
    ids=["booleans", "nulls of a union", "empty lists", "records", "decimals of no bytes"],
)
@pytest.mark.parametrize(("count", "fits"), [(MAX_ITEMS, True), (990_000, False)])
def test_a_record_of_as_many_items_as_bytes(items: Any, type_: str, count: int, fits: bool) -> None:
    """An item takes at least a byte, and a hundred in Python.

    A megabyte of records was seen to take 689 MB.
    """
    schema = json.dumps(record(("l", {"type": "array", "items": items})))
    contract = StreamContract.model_validate(
        {"encoding": {"format": "avro", "schema": schema}, "fields": [{"name": "l", "type": type_}]}
    )
    assert check_contract(contract) == []
    with resource_limit():
        found = decode(as_many_as_bytes(count), None, contract, 1_000_000)
    if fits:
        assert isinstance(found, Row)
        assert len(found.values["l"]) == count
    else:
        assert isinstance(found, Malformed)
        assert found.reason == "TOO_LARGE"


def test_items_are_counted_as_they_lie() -> None:
    """All kinds of types, with blocks with and without size; other bytes are left to the decoder."""
    kinds: list[tuple[str, Any]] = [
        ("a", "string"), ("b", ["null", "double"]), ("c", {"type": "fixed", "name": "F", "size": 3}),
        ("d", {"type": "map", "values": "float"}),
        ("e", {"type": "enum", "name": "E", "symbols": ["X", "Y"]}), ("f", "long"), ("g", "boolean"),
        ("h", "null"), ("i", "bytes"),
        ("l", {"type": "array", "items": {"type": "array", "items": "int"}}),
    ]  # fmt: skip
    tree = parse_avro(json.dumps(record(*kinds)))
    plain = fastavro.parse_schema(record(*kinds))

    def written(lists: int) -> bytes:
        values = {
            "a": "x" * 100_000,
            "b": 1.5,
            "c": b"abc",
            "d": {"k": 1.0, "m": 2.0},
            "e": "Y",
            "f": -(2**62),
            "g": True,
            "h": None,
            "i": b"\x00",
        }
        stream = BytesIO()
        fastavro.schemaless_writer(stream, plain, {**values, "l": [[1, 2, 3]] * lists})
        return stream.getvalue()

    most = (MAX_ITEMS - 2) // 4
    assert not exceeds_item_limit(tree, written(most))
    assert exceeds_item_limit(tree, written(most + 1))
    whole = written(10)
    assert not any(exceeds_item_limit(tree, whole[:size]) for size in range(100_000, len(whole)))
    sized = parse_avro(json.dumps(record(("l", {"type": "array", "items": "int"}))))
    assert exceeds_item_limit(
        sized, b"\xff\xff\xff\x01" + b"\x00" * 200_000
    )  # a negative count, with the block's size behind it


def of_symbol(length: int) -> AvroEncoding:
    """A list of an enum's values, each a byte of the record."""
    symbols = {"type": "enum", "name": "E", "symbols": ["S" * length]}
    return AvroEncoding.model_validate(
        {"format": "avro", "schema": json.dumps(record(("l", {"type": "array", "items": symbols})))}
    )


def test_a_long_symbol_counts_each_time() -> None:
    """A record of 60,004 bytes was one of 12,000,000,000 characters, once written out."""
    value = as_many_as_bytes(60_000)
    found = read_datum(value, of_symbol(200_000))
    assert isinstance(found, Malformed)
    assert found.reason == "TOO_LARGE"
    assert len(read_datum(value, of_symbol(7))["l"]) == 60_000


def test_a_long_symbol_is_work() -> None:
    few = as_many_as_bytes(30)
    with bounded(Budget(30 * 25_000 + 1)) as budget:
        read_datum(few, of_symbol(200_000))
    assert budget.spent == 30 * 25_000 + 1, "with the record's field"
    with bounded(Budget(20_000)), pytest.raises(OverBudget):
        read_datum(few, of_symbol(200_000))


def test_branches_are_tried_in_bounds() -> None:
    """Each of the writer's tried each of the reader's, and so did those within: a second and more."""
    run = Resolution()
    writer, reader = (
        parse_avro(json.dumps(versions(*names, 2))) for names in (("w", "int"), ("r", "string"))
    )
    with pytest.raises(NoResolution, match="more than 50,000 steps"):
        resolve(writer, reader, run)
    assert run.steps == MAX_STEPS + 1


def test_a_budget_ends_tries_and_leaves_nothing_behind() -> None:
    known = versions("r", "int", 1)
    reader, writer = record(("u", known)), record(("u", [*versions("w", "string", 1)[1:], known[0]]))
    encoding = AvroEncoding.model_validate(
        {
            "format": "avro",
            "schema": json.dumps(reader),
            "framing": "confluent",
            "writers": {"1": json.dumps(writer)},
        }
    )
    value = framed(1, bytes([2 * 19, 2, 4]))
    with bounded(Budget(200)), pytest.raises(OverBudget):
        read_datum(value, encoding)
    assert read_datum(value, encoding)["u"]["member0"] == {"v": 1, "z": 2}


def of_zeros(count: int) -> dict[str, Any]:
    """A record of numbers, each of which may be left out."""
    made = record(*((f"d{at}", "int") for at in range(count)), name="I")
    for field in made["fields"]:
        field["default"] = 0
    return made


def with_default(kind: Any, default: Any) -> str:
    schema = record(("l", {"type": "array", "items": kind}))
    schema["fields"][0]["default"] = default
    return json.dumps(schema)


def test_defaults_are_checked_in_bounds() -> None:
    """Each `{}` was tried as each of the branches: minutes, for a text that fits."""
    branches = [
        *(record(("a", "int"), name=f"B{at}") for at in range(1_000)),
        {"type": "map", "values": "int"},
    ]
    with pytest.raises(AvroSchemaError, match="defaults takes more than 500,000 steps"):
        parse_avro(with_default(branches, [{}] * 20_000))


def test_of_a_default_only_what_is_written_is_looked_at() -> None:
    """Each `{}` has the defaults of its type's fields: 80,000,000 looks, once."""
    item = of_zeros(1_900)
    with pytest.raises(AvroSchemaError, match="defaults become more than 1,000,000 values"):
        parse_avro(with_default(item, [{}] * 40_000))
    most = parse_avro(with_default(item, [{}] * 526))
    assert (most.fields[0].default_size, most.default_values) == (526 * 1_901, 526 * 1_901)
    del item["fields"][0]["default"]
    with pytest.raises(AvroSchemaError, match="isn't a valid array"):
        parse_avro(with_default(item, [{}] * 40_000))


def test_a_budget_ends_a_default() -> None:
    """Of objects without members, each of which has those of its type."""
    item = of_zeros(1_000)
    reader = record(("x", "int"), ("l", {"type": "array", "items": item}))
    reader["fields"][1]["default"] = [{}] * 900
    encoding = AvroEncoding.model_validate(
        {
            "format": "avro",
            "schema": json.dumps(reader),
            "framing": "confluent",
            "writers": {"1": json.dumps(record(("x", "int")))},
        }
    )
    with bounded(Budget(300_000, 0.05)) as budget, pytest.raises(OverBudget):
        read_datum(framed(1, b"\0"), encoding)
    assert budget.spent == 0, "it was its time that was over"
