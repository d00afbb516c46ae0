"""Records of the API's form as bytes, before anything is sent."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.framing import framed
from jobs.formats.records import Row
from tests.support.run_factories import trades
from weir.streams.services.record_encoder import RecordEncoder
from weir.streams.services.record_input import InvalidRecordError, NewRecord, build_record, parse_records
from weir.workspaces.models import Workspace

SCHEMA = json.dumps({"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]})
ENVELOPE = json.dumps(
    {
        "type": "record", "name": "Envelope",
        "fields": [{"name": "after", "type": ["null", json.loads(SCHEMA)], "default": None},
            {"name": "op", "type": "string"}],
    }
)  # fmt: skip
BIG = 2**60 + 1
FRAMED = {"format": "avro", "schema": SCHEMA, "framing": "confluent", "writers": {"3": "{}", "7": SCHEMA}}


def contract(encoding: dict[str, Any], **more: Any) -> StreamContract:
    return StreamContract.model_validate(
        {"encoding": encoding, "fields": [{"name": "id", "type": "long"}], **more}
    )


def writers(
    encoding: dict[str, Any], ids: Callable[[str], int | None] = {"t-value": 9, "t-key": 4}.get, **more: Any
) -> RecordEncoder:
    return RecordEncoder(contract(encoding, **more), "t", ids)


def made(given: dict[str, Any], encoding: dict[str, Any], **more: Any) -> NewRecord:
    return build_record(given, writers(encoding, **more))


def test_json_is_written_as_it_is() -> None:
    assert made({"value": {"id": 1}}, {"format": "json"}).value == b'{"id":1}'
    assert made({"value": '{"id": 1}', "key": "k"}, {"format": "json"}) == NewRecord(b'{"id": 1}', b"k")


@pytest.mark.parametrize(
    ("part", "given"),
    [
        ("value", {"value": {"id": "\ud800"}}),
        ("value", {"value": ["\ud800"]}),
        ("value_json", {"value_json": '{"id": "\\ud800"}'}),
    ],
)
def test_half_a_surrogate_pair_is_no_text(part: str, given: dict[str, Any]) -> None:
    fields = [{"name": "id", "type": "string"}]
    with pytest.raises(InvalidRecordError, match="half a surrogate pair") as refused:
        made(given, {"format": "json"}, fields=fields, key=["id"])
    assert refused.value.part == part


@pytest.mark.parametrize(
    ("encoding", "given", "raw"),
    [
        (FRAMED, {"id": 5}, b"\x00\x00\x00\x00\x07\x0a"),
        ({"format": "avro", "schema": SCHEMA}, {"id": 5}, b"\x0a"),
        ({"format": "json", "framing": "confluent"}, {"id": BIG}, framed(9, b'{"id":%d}' % BIG)),
        (
            {"format": "json", "framing": "confluent", "schema": "{}", "schema_id": 12},
            {"id": 1},
            framed(12, b'{"id":1}'),
        ),
        (
            {"format": "debezium", "inner": {**FRAMED, "schema": ENVELOPE, "writers": {"7": ENVELOPE}}},
            {"op": "c", "after": {"id": BIG}},
            framed(7, avro_bytes({"op": "c", "after": {"id": BIG}}, ENVELOPE)),
        ),
        (
            {"format": "debezium", "inner": {"format": "json", "framing": "confluent"}},
            {"op": "d"},
            framed(9, b'{"op":"d"}'),
        ),
    ],
)
def test_an_object_is_written_in_the_streams_own_format_behind_its_id(
    encoding: dict[str, Any], given: Any, raw: bytes
) -> None:
    assert made({"value": given}, encoding).value == raw
    assert made({"value_json": json.dumps(given)}, encoding).value == raw


@pytest.mark.parametrize(
    ("key_encoding", "fields", "raw"),
    [
        ({"format": "text"}, '"a"', b"a"),
        ({"format": "text"}, "a", b"a"),
        ({"format": "json"}, '{"k": "a"}', b'{"k":"a"}'),
        ({"format": "json", "framing": "confluent"}, '["a"]', framed(4, b'{"k":"a"}')),
        ({"format": "avro", "schema": '"string"'}, "a", b"\x02a"),
    ],
)
def test_a_key_is_written_from_its_fields_and_read_back(
    key_encoding: dict[str, Any], fields: str, raw: bytes
) -> None:
    keyed = {
        "fields": [{"name": "k", "type": "string"}, {"name": "id", "type": "long"}],
        "key": ["k"],
        "key_encoding": key_encoding,
    }
    record = made({"value": {"id": 1}, "key_json": fields}, {"format": "json"}, **keyed)
    assert record.key == raw
    read = decode(record.value, record.key, contract({"format": "json"}, **keyed), 1_750_000_000_000_000)
    assert isinstance(read, Row)
    assert read.values == {"k": "a", "id": 1}


def test_bytes_texts_and_nulls_stay_what_they_are() -> None:
    given = base64.b64encode(b"\x00\xff").decode()
    assert made({"value_base64": given}, FRAMED).value == b"\x00\xff"
    assert made({"value_base64": ""}, FRAMED).value == b""
    assert made({"value": "text"}, FRAMED).value == b"text"
    headers = [{"name": "a", "value": "1"}, {"name": "b", "value_base64": given}, {"name": "c"}]
    assert made({"headers": headers}, FRAMED) == NewRecord(
        None, headers=(("a", b"1"), ("b", b"\x00\xff"), ("c", None))
    )


@pytest.mark.parametrize(
    ("given", "encoding", "part", "says"),
    [
        ({"value": {"id": "x"}}, FRAMED, "value", "doesn't match the schema: id isn't an integer"),
        ({"value_json": "{"}, FRAMED, "value_json", "isn't valid JSON"),
        ({"value": {"id": 1}}, {**FRAMED, "writers": {}}, "value", "isn't registered under a subject"),
        ({"value_json": "{}"}, {"format": "csv"}, "value_json", "plain text"),
        ({"key_json": "1"}, FRAMED, "key_json", "no key fields"),
        ({"value_base64": "?"}, FRAMED, "value_base64", "isn't valid base64"),
        ({"headers": [{"name": "a", "value_base64": "?"}]}, FRAMED, "headers", "isn't valid base64"),
    ],
)
def test_errors_name_the_invalid_part(
    given: dict[str, Any], encoding: dict[str, Any], part: str, says: str
) -> None:
    with pytest.raises(InvalidRecordError, match=says) as invalid:
        made(given, encoding)
    assert invalid.value.part == part


def test_framed_json_needs_a_schema_of_its_topic() -> None:
    with pytest.raises(InvalidRecordError, match="subject t-value has no JSON schema"):
        build_record({"value": {"id": 1}}, writers({"format": "json", "framing": "confluent"}, {}.get))


KEYED: dict[str, Any] = {
    "kind": "table",
    "key": ["id", "part"],
    "fields": [
        {"name": "id", "type": "long", "path": ["_id"]},
        {"name": "part", "type": "string", "path": ["of", "part 1"]},
        {"name": "v", "type": "int", "path": ["a.b"]},
    ],
}


@pytest.mark.parametrize("given", ['{"id":1,"part":"p"}', '{"_id":1,"of":{"part 1":"p"}}', '[1,"p"]'])
def test_a_key_is_written_under_the_names_that_it_has_in_the_record(given: str) -> None:
    made_of = build_record(
        {"key_json": given, "value_json": '{"a.b":7}'}, writers({"format": "json"}, **KEYED)
    )
    assert made_of == NewRecord(b'{"a.b":7}', b'{"_id":1,"of":{"part 1":"p"}}')
    row = decode(made_of.value, made_of.key, contract({"format": "json"}, **KEYED), 1_767_261_600_000_000)
    assert isinstance(row, Row)
    assert row.values == {"id": 1, "part": "p", "v": 7}


@pytest.mark.django_db
def test_many_framed_records_ask_for_their_schema_once(
    workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    stream = trades(workspace)
    stream.contract = {**stream.contract, "encoding": {"format": "json", "framing": "confluent"}}
    given = [{"value": {"symbol": "A", "price": 1.5, "at": 1_750_000_000_000}}] * 50
    with django_assert_max_num_queries(6):
        records, errors = parse_records(stream, given, lambda line, structured: {})
    assert (len(records), len(errors)) == (0, 50)  # its topic has no schema yet
