"""Schemas that would cost more than their length, or that one of our two readers of schemas took and the
other did not: what a decoder says of a record of them.
"""

from collections.abc import Sequence
from typing import Any, Final

from jobs.formats.framing import framed
from tests.support.wide_records import NUMBER, WideRecord, avro_contract, avro_record


def _enum(space: str, count: int, **more: Any) -> dict[str, Any]:
    symbols = [f"S{at}" for at in range(count)]
    return {"type": "enum", "name": "E", "namespace": space, "symbols": symbols, **more}


def _fields(types: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"name": f"f{at}", "type": type_} for at, type_ in enumerate(types)]


def _of_default(title: str, item: Any, default: list[Any], reason: str | None) -> WideRecord:
    """A number, and a list that is not written."""
    listed = {"name": "l", "type": {"type": "array", "items": item}, "default": default}
    contract = avro_contract(avro_record("R", NUMBER, listed), avro_record("R", NUMBER), "n", "int")
    return WideRecord(f"avro: defaults of {title}", contract, framed(1, b"\0"), reason)


def _costly_defaults() -> list[WideRecord]:
    """Objects of two signs, in a text that fits: they'd become gigabytes, or take minutes."""

    def each(title: str, type_: Any, default: Any, count: int, reason: str | None) -> WideRecord:
        item = avro_record("I", {"name": "d", "type": type_, "default": default})
        return _of_default(title, item, [{}] * count, reason)

    numbers = {"type": "array", "items": "int"}
    fixed = [*({"type": "fixed", "name": f"F{at}", "size": at + 1} for at in range(1_900)), "null"]
    holders = [avro_record(f"B{at}", NUMBER) for at in range(100)]
    mapped = {"type": "map", "values": "int"}
    text = "a" * 100_000
    return [
        each("a long text each", "string", text, 38_000, "SCHEMA_MISMATCH"),
        each("some long texts", "string", text, 70, None),
        each("long bytes each", "bytes", text, 38_000, "SCHEMA_MISMATCH"),
        each("a list each", numbers, [0] * 40_000, 25_000, "SCHEMA_MISMATCH"),
        each("the last branch of many each", fixed, None, 30_000, "SCHEMA_MISMATCH"),
        each("some last branches of many", fixed, None, 150, None),
        _of_default("a map behind a hundred records", [*holders, mapped], [{}] * 6_000, "SCHEMA_MISMATCH"),
        _of_default("some of them", [*holders, mapped], [{}] * 4_000, None),
        _of_default("a number behind them", [*holders, "int"], [0] * 6_000, "SCHEMA_MISMATCH"),
        _of_default("some of these", [*holders, "int"], [0] * 4_000, None),
        _several_fields(),
        _late_symbols("long symbols, and one that is no date", 50, "NOT_AVRO"),
        _late_symbols("more of them", 120, "SCHEMA_MISMATCH"),
    ]


def _several_fields() -> WideRecord:
    """Each would do."""
    wide = avro_record("I", *({"name": f"d{at}", "type": "int", "default": 0} for at in range(150)))
    own = {"name": "n", "type": wide}
    listed = [
        {"name": f"l{at}", "type": {"type": "array", "items": "I"}, "default": [{}] * 600} for at in range(13)
    ]
    type_ = f"struct<{','.join(f'd{at}:int' for at in range(150))}>"
    contract = avro_contract(avro_record("R", own, *listed), avro_record("R", own), "n", type_)
    return WideRecord("avro: defaults of several fields", contract, framed(1, bytes(150)), "SCHEMA_MISMATCH")


def _late_symbols(title: str, count: int, reason: str) -> WideRecord:
    symbol = "L" * 80_000
    symbols = {"type": "enum", "name": "E", "symbols": [symbol]}
    day = {"type": "int", "logicalType": "date"}
    item = avro_record(
        "I",
        {"name": "e", "type": symbols, "default": symbol},
        {"name": "d", "type": day, "default": 2**31 - 1},
    )
    return _of_default(title, item, [{}] * count, reason)


def _many_symbols() -> list[WideRecord]:
    """Each two enums have a table of symbols."""
    one = avro_record("R", *_fields([_enum("a", 15_000), *["a.E"] * 1_900]))
    written = avro_record("R", *_fields([_enum("a", 10_000), *["a.E"] * 999]))

    def read_as(count: int, reason: str | None) -> WideRecord:
        read = avro_record("R", *_fields([_enum(f"n{at}", 1, default="S0") for at in range(count)]))
        contract = avro_contract(read, written, "f0", "string")
        return WideRecord(f"avro: {count} enums for one", contract, framed(1, bytes(1_000)), reason)

    same = avro_contract(one, one, "f0", "string")
    return [
        WideRecord("avro: many fields of an enum", same, framed(1, bytes(1_901)), None),
        read_as(1_000, "SCHEMA_MISMATCH"),
        read_as(35, None),
    ]


def _read_alike() -> list[WideRecord]:
    """At the limits of what both take."""
    letters = {"type": "enum", "name": "E", "symbols": ["A"]}

    def of_writer(title: str, writer: dict[str, Any], value: bytes, reason: str | None) -> WideRecord:
        contract = avro_contract(avro_record("R", NUMBER), writer, "n", "int")
        return WideRecord(f"avro: {title}", contract, framed(1, value), reason)

    def with_field(**field: Any) -> dict[str, Any]:
        return avro_record("R", NUMBER, field)

    kept = {"type": "map", "values": "int"}
    long_name = f"a.{'b' * 252}.C"
    return [
        _first_fault(),
        _sixteen_levels(),
        of_writer("a field that is no name", with_field(name="a-b", type="int"), b"\0\0", "SCHEMA_MISMATCH"),
        of_writer(
            "a key of 60,000 signs",
            with_field(name="m", type=kept, default={"k" * 60_000: 1}),
            b"\0\0",
            None,
        ),
        of_writer("a number of 1,200 digits", {**avro_record("R", NUMBER), "x": 10**1_200}, b"\0", None),
        of_writer(
            "an enum's default that is no text",
            with_field(name="e", type={**letters, "default": 5}),
            b"\0\0",
            "SCHEMA_MISMATCH",
        ),
        of_writer(
            "an enum without symbols",
            with_field(name="e", type={"type": "enum", "name": "E"}),
            b"\0\0",
            "SCHEMA_MISMATCH",
        ),
        of_writer(
            "a symbol twice",
            with_field(name="e", type={**letters, "symbols": ["A", "A"]}),
            b"\0\0",
            "SCHEMA_MISMATCH",
        ),
        of_writer(
            "a name of 256 characters",
            with_field(name="r", type=avro_record(long_name, NUMBER)),
            b"\0\0",
            "SCHEMA_MISMATCH",
        ),
    ]


def _first_fault() -> WideRecord:
    """The first in the order of the reader's fields: a default that is beyond its type, of a record of which
    nothing is written, and behind it a symbol that is unknown.
    """
    day = {"type": "int", "logicalType": "date"}
    late = avro_record("D", {"name": "d", "type": day, "default": 2**31 - 1})

    def letters(*symbols: str) -> dict[str, Any]:
        return {"name": "e", "type": {"type": "enum", "name": "E", "symbols": list(symbols)}}

    contract = avro_contract(
        avro_record("R", {"name": "r", "type": late}, letters("A")),
        avro_record("R", letters("A", "B"), {"name": "r", "type": avro_record("D", NUMBER)}),
        "e",
        "string",
    )
    return WideRecord(
        "avro: a default that is no date, and a symbol", contract, framed(1, b"\2\0"), "NOT_AVRO"
    )


def _sixteen_levels() -> WideRecord:
    """As many as may be, also in a union around all."""
    inner: Any = "int"
    type_ = "int"
    for level in range(16, 1, -1):
        inner = avro_record(f"N{level}", {"name": f"n{level}", "type": inner})
        type_ = f"struct<n{level}:{type_}>"
    whole = avro_record("R", {"name": "n", "type": inner})
    contract = avro_contract(whole, ["null", whole], "n", type_)
    return WideRecord("avro: sixteen levels in a union of one", contract, framed(1, b"\2\0"), None)


HOSTILE_SCHEMAS: Final = (*_costly_defaults(), *_many_symbols(), *_read_alike())
