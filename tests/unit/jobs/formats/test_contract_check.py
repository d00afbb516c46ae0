import json
from typing import Any

import pytest

from jobs.base.types import type_text
from jobs.formats.avro_records import avro_fields
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.realtime import realtime_refusal
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed

FIELDS = [
    {"name": name, "type": type_}
    for name, type_ in (("n", "long"), ("s", "string"), ("t", "timestamp"), ("b", "boolean"))
]


def corrected(**parts: Any) -> dict[str, Any]:
    """An event time by a device's clock, with some parts otherwise."""
    return {
        "event_time": {
            "kind": "corrected",
            "device": {"field": "t"},
            "sent": {"field": "n", "unit": "ms"},
            **parts,
        }
    }


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"fields": [*FIELDS, FIELDS[0]]}, "NAME_TAKEN", ("fields", "4", "name")),
        ({"fields": [{"name": "d", "type": "duration"}]}, "TYPE_NOT_OUTPUT", ("fields", "0", "type")),
        ({"fields": [{"name": "d", "type": "array<duration>"}]}, "TYPE_NOT_OUTPUT", ("fields", "0", "type")),
        ({"delay": "-5s"}, "PARAMETER_RANGE", ("delay",)),
        ({"delay": "1500us"}, "PARAMETER_RANGE", ("delay",)),
        ({"delay": "367d"}, "PARAMETER_RANGE", ("delay",)),
        ({"max_ahead": "-1h"}, "PARAMETER_RANGE", ("max_ahead",)),
        ({"max_ahead": "106751991d"}, "PARAMETER_RANGE", ("max_ahead",)),
        ({"event_time": {"kind": "field"}}, "PARAMETER_MISSING", ("event_time", "field")),
        ({"event_time": {"kind": "field", "field": "x"}}, "FIELD_UNKNOWN", ("event_time", "field")),
        ({"event_time": {"kind": "field", "field": "n"}}, "PARAMETER_MISSING", ("event_time", "unit")),
        ({"event_time": {"kind": "field", "field": "s"}}, "PARAMETER_MISSING", ("event_time", "format")),
        (
            {"event_time": {"kind": "field", "field": "s", "format": "EEE dd"}},
            "FORMAT_UNSUPPORTED",
            ("event_time", "format"),
        ),
        ({"event_time": {"kind": "field", "field": "b"}}, "TYPE_MISMATCH", ("event_time", "field")),
        (
            {"event_time": {"kind": "field", "field": "t", "zone": "+02:00"}},
            "ZONE_UNKNOWN",
            ("event_time", "zone"),
        ),
        (
            {"event_time": {"kind": "kafka_timestamp", "zone": "Nowhere/Else"}},
            "ZONE_UNKNOWN",
            ("event_time", "zone"),
        ),
        (corrected(device=None), "PARAMETER_MISSING", ("event_time", "device")),
        (corrected(sent=None), "PARAMETER_MISSING", ("event_time", "sent")),
        (corrected(sent={"field": "x"}), "FIELD_UNKNOWN", ("event_time", "sent", "field")),
        (corrected(device={"field": "n"}), "PARAMETER_MISSING", ("event_time", "device", "unit")),
        (
            corrected(received={"field": "s", "format": "EEE dd"}),
            "FORMAT_UNSUPPORTED",
            ("event_time", "received", "format"),
        ),
        (
            corrected(received={"field": "t", "zone": "+02:00"}),
            "ZONE_UNKNOWN",
            ("event_time", "received", "zone"),
        ),
    ],
)
def test_problems(changes: dict[str, Any], code: str, path: tuple[str, ...]) -> None:
    contract = StreamContract.model_validate({"fields": FIELDS, **changes})
    assert [(found.code, found.path) for found in check_contract(contract, ("contract",))] == [
        (code, ("contract", *path))
    ]


@pytest.mark.parametrize(
    "event_time",
    [
        {},
        {"kind": "field", "field": "n", "unit": "ns"},
        {"kind": "field", "field": "s", "format": "iso", "zone": "Europe/Berlin"},
        {"kind": "field", "field": "s", "format": "dd.MM.yyyy HH:mm:ss,SSS"},
        {"kind": "field", "field": "t"},
        corrected()["event_time"],
        corrected(received={"field": "s", "format": "iso"})["event_time"],
    ],
)
def test_sound_contracts(event_time: dict[str, Any]) -> None:
    assert check_contract(StreamContract.model_validate({"fields": FIELDS, "event_time": event_time})) == []


ROW = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "born", "type": ["null", "int"]},
        {"name": "seen", "type": "string"},
        {"name": "price", "type": "string"},
        {"name": "ok", "type": "boolean"},
    ],
}


def changes(fields: dict[str, str], row: Any = ROW, op: Any = "string", **more: Any) -> StreamContract:
    envelope = {
        "type": "record",
        "name": "Envelope",
        "fields": [{"name": "after", "type": ["null", row]}, {"name": "op", "type": op}],
    }
    declared = [{"name": name, "type": kind} for name, kind in fields.items()]
    inner = {"format": "avro", "schema": json.dumps(envelope)}
    return StreamContract.model_validate(
        {"encoding": {"format": "debezium", "inner": inner}, "fields": declared, **more}
    )


def test_columns_of_avro_envelopes_and_what_they_count() -> None:
    assert (
        check_contract(changes({"id": "long", "born": "date", "seen": "timestamp", "price": "decimal(8,2)"}))
        == []
    )
    assert (
        check_contract(changes({"id": "timestamp", "born": "int", "seen": "string", "ok": "boolean"})) == []
    )
    keyed = changes({"k": "string", "id": "long"}, kind="table", key=["k"])
    assert check_contract(keyed) == []


def test_columns_that_count_in_another_unit_than_the_contract() -> None:
    """A thousandfold off, and within every range: nobody would notice."""
    units = {"created": "Timestamp", "updated": "MicroTimestamp", "exact": "NanoTimestamp"}
    columns: list[dict[str, Any]] = [
        {"name": name, "type": {"type": "long", "connect.name": f"io.debezium.time.{unit}"}}
        for name, unit in units.items()
    ]
    columns[1]["type"] = ["null", columns[1]["type"]]
    row = {"type": "record", "name": "Value", "fields": [*columns, {"name": "plain", "type": "long"}]}
    declared = dict.fromkeys((*units, "plain"), "timestamp")
    found = check_contract(changes(declared, row))
    assert [(one.code, one.path) for one in found] == [
        ("TYPE_MISMATCH", ("fields", "0", "type")),
        ("TYPE_MISMATCH", ("fields", "2", "type")),
    ]
    assert found[0].message == "created counts ms in the schema, and time_unit is us."
    assert found[0].hint.endswith(
        "declare created as long and convert it in a step: timestamp_millis(created)."
    )
    assert check_contract(changes({"created": "long", "updated": "timestamp", "exact": "long"}, row)) == []


def test_columns_of_avro_envelopes_that_hold_others() -> None:
    point = {"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int"}]}
    columns = {
        "tags": {"type": "array", "items": "string"},
        "of": {"type": "map", "values": "int"},
        "at": point,
    }
    row = {
        "type": "record",
        "name": "Value",
        "fields": [{"name": name, "type": kind} for name, kind in columns.items()],
    }
    declared = {"tags": "array<string>", "of": "map<string,int>", "at": "struct<x:int>"}
    assert check_contract(changes(declared, row)) == []
    assert [found.code for found in check_contract(changes({"of": "map<string,long>"}, row))] == [
        "TYPE_MISMATCH"
    ]


@pytest.mark.parametrize(
    ("contract", "code", "path"),
    [
        (changes({"nothing": "long"}), "FIELD_UNKNOWN", ("fields", "0", "name")),
        (changes({"id": "long", "ok": "timestamp"}), "TYPE_MISMATCH", ("fields", "1", "type")),
        (changes({"id": "int"}), "TYPE_MISMATCH", ("fields", "0", "type")),
        (changes({"seen": "long"}), "TYPE_MISMATCH", ("fields", "0", "type")),
        (changes({"id": "long"}, row="string"), "FORMAT_UNSUPPORTED", ("encoding", "inner", "schema")),
        (changes({"id": "long"}, op="int"), "FORMAT_UNSUPPORTED", ("encoding", "inner", "schema")),
    ],
)
def test_what_avro_envelopes_cannot_give(contract: StreamContract, code: str, path: tuple[str, ...]) -> None:
    assert [(found.code, found.path) for found in check_contract(contract)] == [(code, path)]


def test_python_decodes_avro_envelopes_so_no_real_time() -> None:
    assert "micro-batch mode" in realtime_refusal(changes({"id": "long"}))
    assert realtime_refusal(StreamContract.model_validate({"format": "debezium", "fields": FIELDS})) == ""


def at(paths: list[list[str | int] | None], type_: str = "array<int>", **more: Any) -> StreamContract:
    """Fields at these paths, all of one type."""
    fields = [{"name": f"f{place}", "type": type_, "path": path} for place, path in enumerate(paths)]
    return StreamContract.model_validate({"fields": fields, **more})


def test_as_many_fields_as_may_read_one_place() -> None:
    assert check_contract(at([["a"]] * 8)) == []
    assert check_contract(at([["a"]] * 500, "long")) == [], "they take no more than a number each"
    assert check_contract(at([["a", f"m{place}"] for place in range(500)])) == []
    assert check_contract(at([["a"], *(["a", f"m{place}"] for place in range(400))])) == []


@pytest.mark.parametrize(
    ("contract", "place"),
    [
        (at([["a"]] * 500), "0"),
        (at([["a"]] * 9, "string"), "0"),
        (at([["a"]] * 9, "map<string,int>"), "0"),
        (at([None, *[["a", "b", 0]] * 3, *[["a", "b"]] * 3, *[["a"]] * 3]), "1"),
        (at([["a"]] * 9, "string", format="csv"), "0"),
        (at([["a"]] * 9, "string", format="debezium"), "0"),
    ],
)
def test_more_fields_than_may_read_one_place(contract: StreamContract, place: str) -> None:
    (found,) = check_contract(contract)
    assert (found.code, found.path) == ("PARAMETER_RANGE", ("fields", place, "path"))
    assert "the limit is 8" in found.message


def test_types_have_a_size_together() -> None:
    """Each check of a job that reads the stream reads them again."""

    def wide(count: int) -> StreamContract:
        member = f"struct<{','.join(f'm{at}:long' for at in range(1_000))}>"
        fields = [{"name": f"f{at}", "type": member} for at in range(count)]
        return StreamContract.model_validate({"fields": fields})

    assert check_contract(wide(20)) == []
    (found,) = check_contract(wide(25))
    assert (found.code, found.path) == ("PARAMETER_RANGE", ("fields",))
    assert "the limit is 200,000" in found.message


def aliased(count: int, type_: Any, **more: Any) -> dict[str, Any]:
    fields = [{"name": f"f{place}", "aliases": ["a"], "type": type_} for place in range(count)]
    return {"type": "record", "name": "R", "fields": fields, **more}


def nested(outer: int, inner: int) -> dict[str, Any]:
    """As many fields of one, in as many of one."""
    record = aliased(outer, {"type": "map", "values": "S"})
    record["fields"][0]["type"] = {"type": "map", "values": aliased(inner, "bytes", name="S")}
    return record


@pytest.mark.parametrize(
    ("schema", "is_refused"),
    [
        (aliased(8, "string"), False),
        (aliased(9, "string"), True),
        (aliased(9, "long"), False),
        (aliased(9, ["null", {"type": "array", "items": "int"}]), True),
        (nested(2, 4), False),
        (nested(3, 3), True),
    ],
)
def test_fields_of_one_field_of_a_writer(schema: dict[str, Any], is_refused: bool) -> None:
    encoding = {"format": "avro", "schema": json.dumps(schema)}
    types = avro_fields(AvroEncoding.model_validate(encoding))
    fields = [{"name": field.name, "type": type_text(field.type)} for field in types]
    found = check_contract(StreamContract.model_validate({"encoding": encoding, "fields": fields}))
    expected = [("PARAMETER_RANGE", ("encoding", "schema"))] if is_refused else []
    assert [(part.code, part.path) for part in found] == expected


@pytest.mark.parametrize("kind", ["stream", "table"])
def test_an_avro_key_that_is_no_record_has_one_field(kind: str) -> None:
    """Two fields passed the check, and the first record with a key ended every reader."""

    def keyed(*names: str) -> StreamContract:
        return StreamContract.model_validate(
            {
                "kind": kind,
                "fields": [{"name": name, "type": "string"} for name in ("a", "b", "v")],
                "key": list(names),
                "key_encoding": {"format": "avro", "framing": "none", "schema": '"string"'},
            }
        )

    assert check_contract(keyed("a")) == []
    assert [found.code for found in check_contract(keyed("a", "b"))] == ["TYPE_MISMATCH"]
    # Of a contract that an older version accepted, the key is malformed.
    found = read_key(b"\x02x", keyed("a", "b"))
    assert isinstance(found, Malformed)
    assert found.reason == "KEY_INVALID"
    assert read_key(b"\x02x", keyed("a")) == {"a": "x"}
