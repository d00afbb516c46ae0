"""Records of the API's form as bytes, before anything is sent."""

import base64
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from confluent_kafka import KafkaException, Producer

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.avro_records import read_datum
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.framing import framed
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.records import Row
from tests.support.run_factories import trades
from weir.streams.services.jsonl_records import parse_line
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


AMOUNTS = '{"amount":123456789012345678.91,"more":[1e3,1.10,-0.0,1E400]}'
MONEY: dict[str, Any] = {"fields": [{"name": "amount", "type": "decimal(20,2)"}]}
DECIMALS = json.dumps(
    {
        "type": "record", "name": "R",
        "fields": [
            {"name": "amount",
                "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}},
            {"name": "more", "type": {"type": "array", "items": "double"}},
        ],
    }
)  # fmt: skip


@pytest.mark.parametrize("line", ['{"key":"k","value":%s}', "%s", '{"value_json":%s}'])
@pytest.mark.parametrize("encoding", [{"format": "json"}, {"format": "json", "framing": "confluent"}])
def test_numbers_are_written_as_they_came(encoding: dict[str, Any], line: str) -> None:
    encoder = writers(encoding, **MONEY)
    text = json.dumps(AMOUNTS) if "value_json" in line else AMOUNTS
    raw = build_record(parse_line(line % text, structured=encoder.is_structured), encoder).value
    assert raw == (framed(9, AMOUNTS.encode()) if encoder.is_structured else AMOUNTS.encode())
    found = decode(raw, None, contract(encoding, **MONEY), 1_767_261_600_000_000)
    assert isinstance(found, Row)
    assert found.values == {"amount": Decimal("123456789012345678.91")}


@pytest.mark.parametrize("line", ['{"key":"k","value":%s}', "%s"])
def test_a_number_keeps_its_digits_as_a_decimal_of_avro(line: str) -> None:
    encoding = {"format": "avro", "schema": DECIMALS}
    text = '{"amount":123456789012345678.91,"more":[1e3,1.10,-0.0]}'
    raw = build_record(parse_line(line % text, structured=True), writers(encoding, **MONEY)).value
    found = read_datum(raw, AvroEncoding(avro_schema=DECIMALS)) if raw else None
    assert found == {"amount": Decimal("123456789012345678.91"), "more": [1_000.0, 1.1, 0.0]}


def test_a_key_that_is_a_number_has_its_digits() -> None:
    line = '{"key":123456789012345678.91,"value":1.10}'
    assert build_record(parse_line(line, structured=False), writers({"format": "text"})) == NewRecord(
        b"1.10", b"123456789012345678.91"
    )


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
        ({"headers": {"a": "1"}}, FRAMED, "headers", "a list of objects"),
        ({"headers": [{"value": "1"}]}, FRAMED, "headers", "must have names"),
        ({"value_json": {}}, FRAMED, "value_json", "isn't a text"),
        ({"key": "\ud800"}, FRAMED, "key", "half a surrogate pair"),
        ({"partition": -1}, FRAMED, "partition", "isn't the number"),
        ({"partition": "-1"}, FRAMED, "partition", "isn't the number"),
        ({"partition": "99999999999"}, FRAMED, "partition", "isn't the number"),
    ],
)
def test_errors_name_the_invalid_part(
    given: dict[str, Any], encoding: dict[str, Any], part: str, says: str
) -> None:
    with pytest.raises(InvalidRecordError, match=says) as invalid:
        made(given, encoding)
    assert invalid.value.part == part


def test_parts_of_a_file_that_was_made_from_a_table_are_texts() -> None:
    given = {"partition": "1", "value_base64": " AP8=\n", "key_base64": "MQ== "}
    found = made(given, FRAMED)
    assert (found.partition, found.value, found.key) == (1, b"\x00\xff", b"1")


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
@pytest.mark.parametrize(
    ("value", "headers"),
    [
        (999_960, []),
        (999_958, [("", None)]),
        (989_955, [("a", b"1" * 10_000)]),
        (999_892, [("a", b"1" * 64)]),
    ],
)
def test_a_record_that_the_client_would_refuse_is_invalid(
    workspace: Workspace, value: int, headers: list[tuple[str, bytes | None]]
) -> None:
    client = Producer({"bootstrap.servers": "127.0.0.1:1"})
    stream = trades(workspace)
    stream.contract = {"fields": [{"name": "v", "type": "string"}], "encoding": {"format": "text"}}
    given = [{"name": name, "value": held and held.decode()} for name, held in headers]
    records, errors = parse_records(
        stream,
        [{"value": "x" * size, "key": "key4", "headers": given} for size in (value, value + 1)],
    )
    assert [error.message for error in errors] == [
        "Record 2 is too large: key, value and headers have 999965 bytes; the limit is 999964."
    ]
    client.produce("t", records[0].value, records[0].key, headers=headers)
    with pytest.raises(KafkaException, match="MSG_SIZE_TOO_LARGE"):
        client.produce("t", b"x" * (value + 1), b"key4", headers=headers)
    client.purge()


@pytest.mark.django_db
def test_many_framed_records_ask_for_their_schema_once(
    workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    stream = trades(workspace)
    stream.contract = {**stream.contract, "encoding": {"format": "json", "framing": "confluent"}}
    given = [{"value": {"symbol": "A", "price": 1.5, "at": 1_750_000_000_000}}] * 50
    with django_assert_max_num_queries(6):
        records, errors = parse_records(stream, given)
    assert (len(records), len(errors)) == (0, 50)  # its topic has no schema yet


def test_a_null_key_of_texts_is_kafkas_null_key() -> None:
    fields = {"fields": [{"name": "k", "type": "string"}], "key": ["k"], "key_encoding": {"format": "text"}}
    given = {"value": "{}", "key_json": "null"}
    assert made(given, {"format": "json"}, **fields).key is None
    assert made({**given, "key_json": '"null"'}, {"format": "json"}, **fields).key == b"null"
