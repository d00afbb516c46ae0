"""Records whose structs have many members, near to the limit of `jobs.formats.member_limit`, and others that
would cost more than their length: what a decoder says of them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import fastavro

from jobs.formats.avro_byte_checks import MAX_ITEMS
from jobs.formats.avro_resolution import MAX_STEPS
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
    listed_often = StreamContract.model_validate(
        {"fields": [{"name": f"a{i}", "type": "array<int>", "path": ["a"]} for i in range(8)]}
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
        WideRecord("eight arrays of one member", listed_often, b'{"a":[' + b"0," * 450_000 + b"0]}", None),
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


def avro_record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    """A record's schema."""
    return {"type": "record", "name": name, "fields": list(fields)}


def _listed(*fields: dict[str, Any], items: Any = None) -> dict[str, Any]:
    return avro_record(
        "R", {"name": "l", "type": {"type": "array", "items": items or avro_record("I", *fields)}}
    )


def avro_contract(reader: dict[str, Any], writer: Any, name: str, type_: str) -> StreamContract:
    """A stream of a schema, whose records another has written with the id 1; one field of it is read."""
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


def _forks() -> dict[str, Any]:
    """A schema whose default may be tried in two ways in each of 31 levels: the first fails, at its end."""
    inner: Any = "int"
    value: Any = 1
    for level in range(31, 0, -1):
        f = {"name": "f", "type": inner}
        first = avro_record(f"A{level}", f, {"name": "z", "type": "int"})
        # By its name: each type is defined once.
        again = {"name": "f", "type": inner if level == 31 else [f"A{level + 1}", f"B{level + 1}"]}
        inner, value = [first, avro_record(f"B{level}", again)], {"f": value}
    return avro_record("R", {"name": "x", "type": inner, "default": value})


def _lists_of_others(count: int) -> WideRecord:
    """Lists that the reader can't read, which shows only in the innermost of fourteen. Each of the reader's
    is in a union, where it would be tried twice.
    """
    written: Any = "int"
    read: Any = "string"
    for _ in range(14):
        written = {"type": "array", "items": written}
        read = ["null", {"type": "array", "items": read}]
    writer, reader = (
        avro_record("R", *({"name": f"f{at}", "type": type_} for at in range(count)))
        for type_ in (["null", written], read)
    )
    return WideRecord(
        "lists of others in fourteen unions",
        avro_contract(reader, writer, "f0", "array<" * 14 + "string" + ">" * 14),
        framed(1, bytes(count)),
        None,
    )


def _map_of(entries: Sequence[bytes]) -> bytes:
    """Entries of a map as a record's only field, also those whose key comes again."""
    return framed(1, bytes([2 * len(entries)]) + b"".join(entries) + b"\0")


def _long_symbols() -> list[WideRecord]:
    """Symbols stand in the schema: a record of a byte has the whole text."""
    eighths = 1_000
    most = MAX_MEMBERS // eighths - 1  # a symbol that every schema has is shorter than eight signs
    long = "L" * 8 * eighths

    def enum(*symbols: str, **more: Any) -> dict[str, Any]:
        return {"type": "enum", "name": "E", "symbols": list(symbols), **more}

    def listed(items: Any) -> dict[str, Any]:
        return _listed(items=items)

    writer = listed(enum("A", "B", long))
    same = avro_contract(writer, writer, "l", "array<string>")
    of_default = avro_contract(
        listed(enum("A", long, default=long)), listed(enum("A", "B")), "l", "array<string>"
    )
    lacking = avro_contract(listed(enum("A", long)), writer, "l", "array<string>")
    other = {"type": "fixed", "name": "F", "size": 1}
    members = "array<struct<member0:string,member1:bytes>>"
    of_union = avro_contract(listed([enum("A", "B", long), other]), writer, "l", members)
    mapped = avro_record("R", {"name": "m", "type": {"type": "map", "values": writer["fields"][0]["type"]}})
    of_map = avro_contract(mapped, mapped, "m", "map<string,array<string>>")

    def items(*counts: tuple[int, int]) -> bytes:
        """Items by symbol and count, behind a list's length; its end."""
        symbols = b"".join(bytes([2 * symbol]) * count for symbol, count in counts)
        return _zigzag(sum(count for _, count in counts)) + symbols + b"\0"

    def entry(key: bytes, count: int) -> bytes:
        return bytes([2 * len(key)]) + key + items((2, count))

    return [
        WideRecord("avro: long symbols", same, framed(1, items((0, 1_000), (2, most))), None),
        WideRecord("avro: a long symbol more", same, framed(1, items((2, most + 1))), "TOO_LARGE"),
        WideRecord(
            "avro: one behind them that is none", same, framed(1, items((2, 2_000), (3, 1))), "NOT_AVRO"
        ),
        WideRecord("avro: long symbols of a default", of_default, framed(1, items((0, 9), (1, most))), None),
        WideRecord("avro: one more of a default", of_default, framed(1, items((1, most + 1))), "TOO_LARGE"),
        WideRecord(
            "avro: long symbols, and one unknown",
            lacking,
            framed(1, items((2, most), (1, 1))),
            "SCHEMA_MISMATCH",
        ),
        WideRecord(
            "avro: one unknown behind too many", lacking, framed(1, items((2, most + 1), (1, 1))), "TOO_LARGE"
        ),
        WideRecord("avro: long symbols in members", of_union, framed(1, items((2, most - 1))), None),
        WideRecord("avro: members in between", of_union, framed(1, items((0, 500), (2, most))), "TOO_LARGE"),
        WideRecord(
            "avro: long symbols of a key twice", of_map, _map_of([entry(b"a", most), entry(b"a", most)]), None
        ),
        WideRecord(
            "avro: long symbols of two keys",
            of_map,
            _map_of([entry(b"a", most), entry(b"b", 1)]),
            "TOO_LARGE",
        ),
    ]


def _zigzag(number: int) -> bytes:
    rest, found = 2 * number, b""
    while rest > 0x7F:
        rest, found = rest >> 7, found + bytes([rest & 0x7F | 0x80])
    return found + bytes([rest])


def versions(space: str, last: str, levels: int) -> Any:
    """A union of records of one name in twenty namespaces: whether one is read as another shows only in its
    last field.
    """
    if levels == 0:
        return "int"
    return [
        {
            **avro_record(
                "V",
                {"name": "v", "type": versions(f"{space}{at}.a", last, levels - 1)},
                {"name": "z", "type": last},
            ),
            "namespace": f"{space}{at}",
        }
        for at in range(20)
    ]


def _many_pairs() -> list[WideRecord]:
    """Pairs of schemas that take many steps to compose."""
    writers, readers = 200, MAX_STEPS // 200 - 3
    # The record, the field, and null to null in two; a writer's branch is held against the union, and against
    # each of its parts.
    left = MAX_STEPS - 4 - writers * (readers + 2)

    def others(prefix: str, count: int, numbers: int) -> dict[str, Any]:
        branches = [avro_record(f"{prefix}{at}", NUMBER) for at in range(count)]
        return avro_record(
            "R",
            {"name": "u", "type": ["null", *branches]},
            *({"name": f"n{at}", "type": "int"} for at in range(numbers)),
        )

    def record_of(title: str, numbers: int, reason: str | None) -> WideRecord:
        contract = avro_contract(others("S", readers, numbers), others("W", writers, numbers), "n0", "int")
        return WideRecord(title, contract, framed(1, bytes(1 + numbers)), reason)

    reader, writer = (
        avro_record("R", {"name": "u", "type": ["null", *versions(space, last, 2)]}, NUMBER)
        for space, last in (("s", "string"), ("w", "int"))
    )
    many = avro_contract(reader, writer, "n", "int")
    # A default for each of nine hundred writers.
    branches = [{**avro_record("V", NUMBER), "namespace": f"n{at}"} for at in range(900)]
    listed = {"type": "array", "items": "int"}
    given = avro_record("V", NUMBER, {"name": "l", "type": listed, "default": [1] * 80_000})
    of_given = avro_contract(
        avro_record("R", {"name": "v", "type": given}),
        avro_record("R", {"name": "v", "type": branches}),
        "v",
        "struct<n:int,l:array<int>>",
    )
    wide = avro_record("I", *({"name": f"d{at}", "type": "int", "default": 0} for at in range(1_000)))
    spread = {"name": "l", "type": {"type": "array", "items": wide}}

    def of_spread(title: str, count: int, reason: str | None) -> WideRecord:
        reader = avro_record("R", NUMBER, {**spread, "default": [{}] * count})
        return WideRecord(
            title, avro_contract(reader, avro_record("R", NUMBER), "n", "int"), framed(1, b"\0"), reason
        )

    return [
        WideRecord("avro: a default for many writers", of_given, framed(1, b"\0\0"), None),
        of_spread("avro: a default of many members", 990, None),
        of_spread("avro: a default of too many", 1_000, "SCHEMA_MISMATCH"),
        record_of("avro: as many steps as may be", left, None),
        record_of("avro: a step more", left + 1, "SCHEMA_MISMATCH"),
        WideRecord("avro: versions in namespaces", many, framed(1, b"\0\0"), "SCHEMA_MISMATCH"),
    ]


NUMBER: Final = {"name": "n", "type": "int"}
_B: Final = {"name": "b", "type": "int"}


def _avro_records() -> list[WideRecord]:
    writer = _listed(NUMBER)
    added = [{"name": f"m{i}", "type": "int", "default": i} for i in range(1, _WIDTH)]
    type_ = f"array<struct<n:int,{','.join(f'm{i}:int' for i in range(1, _WIDTH))}>>"
    wide = avro_contract(_listed(NUMBER, *added), writer, "l", type_)
    text = {"name": "t", "type": "string", "default": "x" * 8 * (_WIDTH - 2)}
    of_text = avro_contract(_listed(NUMBER, text), writer, "l", "array<struct<n:int,t:string>>")
    numbers = {
        "name": "t",
        "type": {"type": "array", "items": "int"},
        "default": [1] * (_WIDTH - 2),
    }
    of_numbers = avro_contract(_listed(NUMBER, numbers), writer, "l", "array<struct<n:int,t:array<int>>>")
    symbols = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
    chosen = [symbols, *({"type": "fixed", "name": f"F{i}", "size": 1} for i in range(_WIDTH - 1))]
    one_of = ",".join(["member0:string", *(f"member{i}:bytes" for i in range(1, _WIDTH))])
    union = _listed(items=chosen)
    of_union = avro_contract(union, union, "l", f"array<struct<{one_of}>>")
    narrow = _listed(items={"type": "enum", "name": "E", "symbols": ["A", "B", "C"]})
    of_narrow = avro_contract(union, narrow, "l", f"array<struct<{one_of}>>")

    mapped, mapped_wide = (
        avro_record("R", {"name": "m", "type": {"type": "map", "values": part["fields"][0]["type"]}})
        for part in (writer, _listed(NUMBER, *added))
    )
    of_map = avro_contract(mapped_wide, mapped, "m", type_.replace("array", "map<string,array", 1) + ">")
    keyed = {"name": "t", "type": {"type": "map", "values": "int"}, "default": {"x" * 8 * 1_000: 1}}
    of_keys = avro_contract(_listed(NUMBER, keyed), writer, "l", "array<struct<n:int,t:map<string,int>>>")

    def entry(key: str, count: int) -> bytes:
        return _written(mapped, {"m": {key: [{"n": 1}] * count}})[6:-1]

    most, half = _FITS - 1, _FITS * 3 // 5

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
        WideRecord("avro: keys of defaults", of_keys, rows(1_000), "TOO_LARGE"),
        WideRecord("avro: fewer keys", of_keys, rows(990), None),
        WideRecord("avro: a key twice", of_map, _map_of([entry("a", half), entry("a", half)]), None),
        WideRecord(
            "avro: two keys, and the first again",
            of_map,
            _map_of([entry("a", half), entry("b", half), entry("a", most - half)]),
            None,
        ),
        WideRecord(
            "avro: a key again, with too many",
            of_map,
            _map_of([entry("a", half), entry("b", half), entry("a", _FITS - half)]),
            "TOO_LARGE",
        ),
        WideRecord("avro: branches", of_union, _written(union, {"l": ["A"] * _FITS}), "TOO_LARGE"),
        WideRecord("avro: fewer branches", of_union, _written(union, {"l": ["A"] * (_FITS - 1)}), None),
        WideRecord(
            "avro: a symbol that is unknown", of_narrow, symbols_of(_FITS - 1, "C"), "SCHEMA_MISMATCH"
        ),
        WideRecord("avro: one behind too many", of_narrow, symbols_of(_FITS, "C"), "TOO_LARGE"),
    ]


def _hostile_avro() -> list[WideRecord]:
    branches = avro_record("R", {"name": "l", "type": ["null", {"type": "array", "items": "boolean"}]})
    listed = avro_contract(branches, branches, "l", "array<boolean>")

    def items(branch: int, count: int) -> bytes:
        """Items in the branch of this index."""
        whole = _written(branches, {"l": [True] * count})
        return whole[:5] + bytes([2 * branch if branch >= 0 else -2 * branch - 1]) + whole[6:]

    of_symbols = avro_record("R", {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}})
    symbols = avro_contract(of_symbols, of_symbols, "e", "string")

    of_both = avro_record(
        "R",
        {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
        {"name": "l", "type": {"type": "array", "items": "boolean"}},
    )
    both = avro_contract(of_both, of_both, "l", "array<boolean>")
    behind = _written(of_both, {"e": "A", "l": [True] * (MAX_ITEMS + 1)})[6:]
    of_text = avro_record("R", {"name": "s", "type": "string"}, {"name": "u", "type": ["null", "int"]})
    text = avro_contract(of_text, of_text, "u", "int")

    ints, doubles = avro_record("R", NUMBER), avro_record("R", {"name": "n", "type": "double"})
    floats = avro_record("R", {"name": "n", "type": "float"})
    times = avro_record("R", {"name": "n", "type": {"type": "long", "logicalType": "timestamp-millis"}})
    long = _written(avro_record("R", {"name": "n", "type": "long"}), {"n": 2**40})
    millis = {"type": "long", "logicalType": "timestamp-millis"}
    of_ints = _listed({"name": "a", "type": "int"}, {"name": "b", "type": millis})
    of_any = _listed({"name": "a", "type": ["int", "string"]}, {"name": "b", "type": millis})
    late, other = {"a": 1, "b": 2**62}, {"a": "x", "b": 0}
    forked = avro_contract(ints, _forks(), "n", "int")
    in_items = avro_contract(of_ints, of_any, "l", "array<struct<a:int,b:timestamp>>")
    return [
        WideRecord("a default that may be tried in 2^31 ways", forked, framed(1, b"\0"), "SCHEMA_MISMATCH"),
        _lists_of_others(80),
        WideRecord("the first item's fault", in_items, _written(of_any, {"l": [late, other]}), "NOT_AVRO"),
        WideRecord(
            "the other item first", in_items, _written(of_any, {"l": [other, late]}), "SCHEMA_MISMATCH"
        ),
        WideRecord("avro: the last branch", listed, items(1, 1_000), None),
        WideRecord("avro: too many items in it", listed, items(1, MAX_ITEMS + 1), "TOO_LARGE"),
        WideRecord("avro: a branch below zero", listed, items(-1, 1_000), "NOT_AVRO"),
        WideRecord("avro: a branch below zero of many items", listed, items(-1, MAX_ITEMS + 1), "NOT_AVRO"),
        WideRecord("avro: no branch", listed, items(2, MAX_ITEMS + 1), "NOT_AVRO"),
        WideRecord("avro: a symbol", symbols, framed(1, b"\x02"), None),
        WideRecord("avro: a symbol below zero", symbols, framed(1, b"\x01"), "NOT_AVRO"),
        WideRecord("avro: a symbol, and too many items", both, framed(1, b"\0" + behind), "TOO_LARGE"),
        WideRecord("avro: a symbol below zero before them", both, framed(1, b"\1" + behind), "NOT_AVRO"),
        WideRecord("avro: a length of 64 bits", text, framed(1, b"\x80" * 9 + b"\0\2\x08"), None),
        WideRecord("avro: a length of 65 bits", text, framed(1, b"\x80" * 9 + b"\2\2\x08"), "NOT_AVRO"),
        WideRecord("avro: one in more bytes than it needs", symbols, framed(1, b"\x81\0"), "NOT_AVRO"),
        *[
            WideRecord(
                f"a default beyond its type: {logical}",
                avro_contract(
                    avro_record("R", {"name": "n", "type": part, "default": default}, _B),
                    avro_record("R", _B),
                    "n",
                    type_,
                ),
                _written(avro_record("R", _B), {"b": 1}),
                "NOT_AVRO",
            )
            for logical, part, default, type_ in (
                ("date", {"type": "int", "logicalType": "date"}, 2**31 - 1, "date"),
                ("time", millis, 2**62, "timestamp"),
            )
        ],
        WideRecord(
            "an int of 64 bits as a double", avro_contract(doubles, ints, "n", "double"), long, "NOT_AVRO"
        ),
        WideRecord(
            "an int of 64 bits as a float", avro_contract(floats, ints, "n", "double"), long, "NOT_AVRO"
        ),
        WideRecord(
            "an int of 64 bits as a time", avro_contract(times, ints, "n", "timestamp"), long, "NOT_AVRO"
        ),
    ]


HOSTILE_AVRO: Final = (*_avro_records(), *_long_symbols(), *_many_pairs(), *_hostile_avro())
WIDE_RECORDS: Final = (*_json_records(), *HOSTILE_AVRO)
