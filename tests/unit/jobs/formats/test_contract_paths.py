"""Which paths a contract may give its fields, by format."""

import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.realtime import needs_python, realtime_refusal
from tests.support.record_tables import TABLES

AVRO = json.dumps(
    {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "_id", "type": "string"},
            {
                "name": "geo",
                "type": {
                    "type": "record",
                    "name": "G",
                    "fields": [{"name": "lat", "type": "double"}, {"name": "_s", "type": "int"}],
                },
            },
            {"name": "tags", "type": {"type": "array", "items": "string"}},
        ],
    }
)
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "@at": {"type": "string"},
            "user": {"type": "object", "properties": {"user-id": {"type": "integer"}}},
        },
    }
)


def contract(*fields: tuple[str, str, list[Any] | None], **more: Any) -> StreamContract:
    rows = [{"name": name, "type": kind, **({"path": path} if path else {})} for name, kind, path in fields]
    return StreamContract.model_validate({"fields": rows, **more})


def table(key: str, path: list[Any], encoding: dict[str, Any] | None = None) -> StreamContract:
    return contract(
        (key, "string", path),
        ("v", "int", None),
        kind="table",
        key=[key],
        key_encoding=encoding or {"format": "json"},
    )


@pytest.mark.parametrize(
    ("given", "code", "path"),
    [
        (contract(("line", "string", ["x"]), format="text"), "FORMAT_UNSUPPORTED", "fields.0.path"),
        (contract(("a", "string", ["x", "y"]), format="csv"), "FORMAT_UNSUPPORTED", "fields.0.path"),
        (
            contract(("a", "string", ["x"]), encoding={"format": "csv", "columns": ["a"]}),
            "FIELD_UNKNOWN",
            "encoding.columns",
        ),
        (
            contract(("id", "string", ["id_"]), encoding={"format": "avro", "schema": AVRO}),
            "FIELD_UNKNOWN",
            "fields.0.path",
        ),
        (
            contract(("lat", "long", ["geo", "lat"]), encoding={"format": "avro", "schema": AVRO}),
            "TYPE_MISMATCH",
            "fields.0.type",
        ),
        (
            contract(("lat", "double", ["geo", 0]), encoding={"format": "avro", "schema": AVRO}),
            "FIELD_UNKNOWN",
            "fields.0.path",
        ),
        (
            contract(("at", "string", ["at"]), encoding={"format": "json", "schema": SCHEMA}),
            "FIELD_UNKNOWN",
            "fields.0.name",
        ),
        (
            contract(("u", "boolean", ["user", "user-id"]), encoding={"format": "json", "schema": SCHEMA}),
            "TYPE_MISMATCH",
            "fields.0.type",
        ),
        (table("id", ["_id"], {"format": "text"}), "FORMAT_UNSUPPORTED", "fields.0.path"),
        (table("id", ["ids", 0]), "FORMAT_UNSUPPORTED", "fields.0.path"),
        (table("id", ["x"], {"format": "avro", "schema": AVRO}), "TYPE_MISMATCH", "key_encoding.schema"),
    ],
)
def test_what_a_path_cannot_be(given: StreamContract, code: str, path: str) -> None:
    assert [(found.code, ".".join(found.path)) for found in check_contract(given)] == [(code, path)]


@pytest.mark.parametrize(
    "given",
    [
        contract(
            ("id", "string", ["_id"]),
            ("lat", "double", ["geo", "lat"]),
            ("s", "int", ["geo", "_s"]),
            ("t", "string", ["tags", 0]),
            encoding={"format": "avro", "schema": AVRO},
        ),
        contract(("at", "string", ["@at"]), ("u", "long", ["user", "user-id"]),
            encoding={"format": "json", "schema": SCHEMA}),
        contract(("a", "string", ["first name"]), encoding={"format": "csv", "columns": ["first name"]}),
        table("id", ["_id", "$oid"]),
        table("id", ["_id"], {"format": "avro", "schema": AVRO}),
    ],
)  # fmt: skip
def test_what_a_path_can_be(given: StreamContract) -> None:
    assert check_contract(given) == []


def test_every_contract_of_the_shared_table_is_sound() -> None:
    for group in TABLES["path"]["groups"]:
        assert check_contract(StreamContract.model_validate(group["contract"])) == [], group["title"]


def test_no_path_needs_python() -> None:
    plain, nested = (
        contract(("a", "int", ["@a"])),
        contract(("a", "int", ["x", "y"]), ("b", "int", ["x", "z"])),
    )
    element, twice = contract(("a", "int", ["x", 0])), contract(("a", "int", ["x"]), ("b", "int", ["x"]))
    held = contract(("at", "string", ["@at"]), encoding={"format": "json", "schema": SCHEMA})
    contracts = (plain, nested, element, twice, held)
    assert [needs_python(one) for one in contracts] == [False, False, False, False, True]
    assert [bool(realtime_refusal(one)) for one in contracts] == [False, False, False, False, True]
