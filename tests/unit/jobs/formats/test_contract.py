from typing import Any

import pytest
from pydantic import ValidationError

from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.record_formats import AvroEncoding, CsvEncoding, DebeziumEncoding, JsonEncoding

FIELDS = [{"name": "id", "type": "long"}, {"name": "s", "type": "string"}]


def read(**more: Any) -> StreamContract:
    return StreamContract.model_validate({"fields": FIELDS, **more})


@pytest.mark.parametrize("old", [{}, {"format": "json"}, {"format": "json", "delay": "5s"}])
def test_older_contracts_are_read(old: dict[str, Any]) -> None:
    found = read(**old)
    assert (found.kind, found.encoding, found.delay) == ("stream", JsonEncoding(), old.get("delay", "10s"))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"format": "csv"}, CsvEncoding()),
        ({"encoding": {"format": "csv", "delimiter": ";"}}, CsvEncoding(delimiter=";")),
        ({"encoding": {"format": "debezium", "inner": {"format": "json"}}}, DebeziumEncoding()),
        (
            {"encoding": {"format": "avro", "schema": '"string"', "framing": "confluent"}},
            AvroEncoding(schema='"string"', framing="confluent"),
        ),
    ],
)
def test_encodings_and_their_json(given: dict[str, Any], wanted: object) -> None:
    found = read(**given)
    assert found.encoding == wanted
    assert found.as_json()["format"] == found.format
    assert StreamContract.model_validate(found.as_json()) == found
    assert StreamContract.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    "given",
    [
        {"format": "protobuf"},
        {"format": "avro"},
        {"format": "json", "encoding": {"format": "csv"}},
        {"encoding": {"format": "csv", "delimiter": '"'}},
        {"encoding": {"format": "csv", "delimiter": "\n"}},
        {"encoding": {"format": "json", "delimiter": ","}},
        {"key_encoding": {"format": "csv"}},
        {"fields": [{"name": "id", "type": "long", "path": 5}]},
        {"fields": [{"name": "i", "type": "long", "path": "i"}]},
        {"fields": [{"name": "i", "type": "long", "path": {"i": 0}}]},
    ],
)
def test_what_is_no_contract(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read(**given)


def test_a_table_has_no_delay_of_its_own() -> None:
    assert read(kind="table", key=["id"]).delay is None
    assert read(kind="table", key=["id"]).delay_duration.us == 0
    assert read(kind="table", key=["id"], delay="1s").delay == "1s"


def test_key_fields_of_a_table_are_never_null() -> None:
    assert [field.nullable for field in read(kind="table", key=["id"]).schema_of_rows] == [False, True]


@pytest.mark.parametrize(
    ("given", "code", "path"),
    [
        ({"kind": "table"}, "PARAMETER_MISSING", ("key",)),
        ({"key": ["x"]}, "FIELD_UNKNOWN", ("key", "0")),
        ({"key": ["id", "id"]}, "NAME_TAKEN", ("key", "1")),
        ({"key": ["id", "s"], "key_encoding": {"format": "text"}}, "FORMAT_UNSUPPORTED", ("key_encoding",)),
        ({"fields": [{"name": "d", "type": "double"}], "key": ["d"]}, "KEY_TYPE", ("key", "0")),
        ({"format": "text"}, "TYPE_MISMATCH", ("fields",)),
        ({"encoding": {"format": "csv", "columns": ["id"]}}, "FIELD_UNKNOWN", ("encoding", "columns")),
        (
            {"encoding": {"format": "csv", "columns": ["id", "s", "id"]}},
            "NAME_TAKEN",
            ("encoding", "columns"),
        ),
        (
            {"format": "csv", "fields": [{"name": "l", "type": "array<int>"}]},
            "TYPE_MISMATCH",
            ("fields", "0", "type"),
        ),
    ],
)
def test_problems(given: dict[str, Any], code: str, path: tuple[str, ...]) -> None:
    assert (code, path) in [(str(found.code), found.path) for found in check_contract(read(**given))]
