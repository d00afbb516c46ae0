"""Records whose structs have many members, near to the limit of `jobs.formats.member_limit`, and others that
would cost more than their length: what a decoder says of them.
"""

import json
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import fastavro

from jobs.formats.avro_item_limit import MAX_ITEMS
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from jobs.formats.member_limit import MAX_MEMBERS

_WIDTH: Final = 100
_FITS: Final = MAX_MEMBERS // _WIDTH
_STRUCT: Final = f"struct<{','.join(f'm{i}:int' for i in range(_WIDTH))}>"


@dataclass(frozen=True)
class WideRecord:
    """A record, and why it is no row; None: it is one."""

    title: str
    contract: StreamContract
    value: bytes
    reason: str | None


def _json_contract(type_: str, **more: Any) -> StreamContract:
    return StreamContract.model_validate({"fields": [{"name": "a", "type": type_, **more}]})


def _objects(count: int) -> bytes:
    return b"[" + b",".join([b"{}"] * count) + b"]"


def _json_records() -> list[WideRecord]:
    listed = _json_contract(f"array<{_STRUCT}>")
    inside = _json_contract(f"array<{_STRUCT}>", path=["x", 1, "y"])
    twice = StreamContract.model_validate(
        {"fields": [{"name": name, "type": f"array<{_STRUCT}>", "path": ["a"]} for name in "ab"]}
    )
    mapped, nested = _json_contract(f"map<string,{_STRUCT}>"), _json_contract(f"struct<l:array<{_STRUCT}>>")
    change = StreamContract.model_validate(
        {
            "encoding": {"format": "debezium"},
            "fields": [{"name": "a", "type": f"array<{_STRUCT}>"}],
        }
    )
    many, half = _objects(_FITS + 1), _objects(_FITS // 2 + 1)
    entries = b",".join(b'"%d":{}' % number for number in range(_FITS + 1))
    return [
        WideRecord("as many members as may be", listed, b'{"a":' + _objects(_FITS) + b"}", None),
        WideRecord("one struct more", listed, b'{"a":' + many + b"}", "TOO_LARGE"),
        WideRecord("a megabyte of objects", listed, b'{"a":' + _objects(333_000) + b"}", "TOO_LARGE"),
        WideRecord("nobody reads them", listed, b'{"b":' + many + b"}", None),
        WideRecord("a name twice", listed, b'{"a":' + half + b',"a":' + half + b"}", "TOO_LARGE"),
        WideRecord("the last of a name is none", listed, b'{"a":' + many + b',"a":null}', "TOO_LARGE"),
        WideRecord("no JSON behind them", listed, b'{"a":' + many + b"]", "NOT_JSON"),
        WideRecord("a wrong value before them", listed, b'{"a":[1,' + many[1:] + b"}", "TOO_LARGE"),
        WideRecord("no object at all", listed, many, "NOT_OBJECT"),
        WideRecord("entries", mapped, b'{"a":{' + entries + b"}}", "TOO_LARGE"),
        WideRecord("inside a struct", nested, b'{"a":{"l":' + many + b"}}", "TOO_LARGE"),
        WideRecord("at a path", inside, b'{"x":[0,{"y":' + many + b"}]}", "TOO_LARGE"),
        WideRecord("beside a path", inside, b'{"x":[{"y":' + many + b"}]}", None),
        WideRecord("two fields of one member", twice, b'{"a":' + half + b"}", "TOO_LARGE"),
        WideRecord("a change", change, b'{"op":"c","after":{"a":' + many + b"}}", "TOO_LARGE"),
        WideRecord("a deletion", change, b'{"op":"d","after":{"a":' + many + b"}}", "SKIPPED"),
        WideRecord(
            "the other row of a change",
            change,
            b'{"payload":{"op":"c","after":{"a":' + many + b'}},"op":"c","after":{}}',
            None,
        ),
        WideRecord(
            "the row of a payload",
            change,
            b'{"after":{},"payload":{"op":"c","after":{"a":' + many + b"}}}",
            "TOO_LARGE",
        ),
    ]


def _record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def _listed(*fields: dict[str, Any], items: Any = None) -> dict[str, Any]:
    return _record("R", {"name": "l", "type": {"type": "array", "items": items or _record("I", *fields)}})


def _avro_contract(reader: dict[str, Any], writer: dict[str, Any], name: str, type_: str) -> StreamContract:
    encoding = {
        "format": "avro",
        "schema": json.dumps(reader),
        "framing": "confluent",
        "writers": {"1": json.dumps(writer)},
    }
    return StreamContract.model_validate({"encoding": encoding, "fields": [{"name": name, "type": type_}]})


def _written(schema: dict[str, Any], value: Any) -> bytes:
    out = BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(json.dumps(schema))), value)
    return framed(1, out.getvalue())


_N: Final = {"name": "n", "type": "int"}
_B: Final = {"name": "b", "type": "int"}


def _avro_records() -> list[WideRecord]:
    writer = _listed(_N)
    added = [{"name": f"m{i}", "type": "int", "default": i} for i in range(1, _WIDTH)]
    type_ = f"array<struct<n:int,{','.join(f'm{i}:int' for i in range(1, _WIDTH))}>>"
    wide = _avro_contract(_listed(_N, *added), writer, "l", type_)
    text = {"name": "t", "type": "string", "default": "x" * 8 * (_WIDTH - 2)}
    of_text = _avro_contract(_listed(_N, text), writer, "l", "array<struct<n:int,t:string>>")
    numbers = {
        "name": "t",
        "type": {"type": "array", "items": "int"},
        "default": [1] * (_WIDTH - 2),
    }
    of_numbers = _avro_contract(_listed(_N, numbers), writer, "l", "array<struct<n:int,t:array<int>>>")
    symbols = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
    chosen = [symbols, *({"type": "fixed", "name": f"F{i}", "size": 1} for i in range(_WIDTH - 1))]
    one_of = ",".join(["member0:string", *(f"member{i}:bytes" for i in range(1, _WIDTH))])
    union = _listed(items=chosen)
    of_union = _avro_contract(union, union, "l", f"array<struct<{one_of}>>")
    narrow = _listed(items={"type": "enum", "name": "E", "symbols": ["A", "B", "C"]})
    of_narrow = _avro_contract(union, narrow, "l", f"array<struct<{one_of}>>")

    def rows(count: int) -> bytes:
        return _written(writer, {"l": [{"n": 1}] * count})

    def symbols_of(count: int, last: str) -> bytes:
        return _written(narrow, {"l": ["A"] * (count - 1) + [last]})

    return [
        WideRecord("avro: as many members as may be", wide, rows(_FITS - 1), None),
        WideRecord("avro: a record more", wide, rows(_FITS), "TOO_LARGE"),  # with the record around them
        WideRecord("avro: bytes behind them", wide, rows(_FITS) + b"\0", "NOT_AVRO"),
        WideRecord("avro: texts of defaults", of_text, rows(_FITS), "TOO_LARGE"),
        WideRecord("avro: items of defaults", of_numbers, rows(_FITS), "TOO_LARGE"),
        WideRecord("avro: fewer of them", of_numbers, rows(_FITS - 1), None),
        WideRecord("avro: branches", of_union, _written(union, {"l": ["A"] * _FITS}), "TOO_LARGE"),
        WideRecord("avro: fewer branches", of_union, _written(union, {"l": ["A"] * (_FITS - 1)}), None),
        WideRecord(
            "avro: a symbol that is unknown", of_narrow, symbols_of(_FITS - 1, "C"), "SCHEMA_MISMATCH"
        ),
        WideRecord("avro: one behind too many", of_narrow, symbols_of(_FITS, "C"), "TOO_LARGE"),
    ]


def _hostile_avro() -> list[WideRecord]:
    branches = _record("R", {"name": "l", "type": ["null", {"type": "array", "items": "boolean"}]})
    listed = _avro_contract(branches, branches, "l", "array<boolean>")

    def items(branch: int, count: int) -> bytes:
        """Items in a branch below zero."""
        whole = _written(branches, {"l": [True] * count})
        return whole[:5] + bytes([-2 * branch - 1]) + whole[6:]

    ints, doubles = _record("R", _N), _record("R", {"name": "n", "type": "double"})
    floats = _record("R", {"name": "n", "type": "float"})
    times = _record("R", {"name": "n", "type": {"type": "long", "logicalType": "timestamp-millis"}})
    long = _written(_record("R", {"name": "n", "type": "long"}), {"n": 2**40})
    millis = {"type": "long", "logicalType": "timestamp-millis"}
    of_ints = _listed({"name": "a", "type": "int"}, {"name": "b", "type": millis})
    of_any = _listed({"name": "a", "type": ["int", "string"]}, {"name": "b", "type": millis})
    late, other = {"a": 1, "b": 2**62}, {"a": "x", "b": 0}
    in_items = _avro_contract(of_ints, of_any, "l", "array<struct<a:int,b:timestamp>>")
    return [
        WideRecord("the first item's fault", in_items, _written(of_any, {"l": [late, other]}), "NOT_AVRO"),
        WideRecord(
            "the other item first", in_items, _written(of_any, {"l": [other, late]}), "SCHEMA_MISMATCH"
        ),
        WideRecord("avro: the last branch, counted from the end", listed, items(-1, 1_000), None),
        WideRecord("avro: too many items in it", listed, items(-1, MAX_ITEMS + 1), "TOO_LARGE"),
        WideRecord("avro: no branch", listed, items(-3, MAX_ITEMS + 1), "NOT_AVRO"),
        *[
            WideRecord(
                f"a default beyond its type: {logical}",
                _avro_contract(
                    _record("R", {"name": "n", "type": part, "default": default}, _B),
                    _record("R", _B),
                    "n",
                    type_,
                ),
                _written(_record("R", _B), {"b": 1}),
                "NOT_AVRO",
            )
            for logical, part, default, type_ in (
                ("date", {"type": "int", "logicalType": "date"}, 2**31 - 1, "date"),
                ("time", millis, 2**62, "timestamp"),
            )
        ],
        WideRecord(
            "an int of 64 bits as a double", _avro_contract(doubles, ints, "n", "double"), long, "NOT_AVRO"
        ),
        WideRecord(
            "an int of 64 bits as a float", _avro_contract(floats, ints, "n", "double"), long, "NOT_AVRO"
        ),
        WideRecord(
            "an int of 64 bits as a time", _avro_contract(times, ints, "n", "timestamp"), long, "NOT_AVRO"
        ),
    ]


WIDE_RECORDS: Final = (*_json_records(), *_avro_records(), *_hostile_avro())
