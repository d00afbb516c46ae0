"""Records of the API's form as bytes, before anything is sent."""

import base64
import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from weir.streams.producing import new_record
from weir.streams.written_values import written_value
from weir.workspaces.refusals import RefusalError

SCHEMA = json.dumps({"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]})


def contract(**encoding: Any) -> StreamContract:
    return StreamContract.model_validate({"encoding": encoding, "fields": [{"name": "id", "type": "long"}]})


FRAMED = contract(format="avro", schema=SCHEMA, framing="confluent", writers={"3": "{}", "7": SCHEMA})


def test_json_is_written_as_it_is() -> None:
    assert written_value(contract(format="json")) is None
    assert new_record({"value": {"id": 1}}, 0).value == b'{"id":1}'
    assert new_record({"value": '{"id": 1}', "key": "k"}, 0).value == b'{"id": 1}'


def test_an_object_for_an_avro_stream_is_written_by_its_schema_behind_its_id() -> None:
    assert new_record({"value": {"id": 5}, "key": "k"}, 0, written_value(FRAMED)).value == b"\x00\x00\x00\x00\x07\x0a"
    assert new_record({"value": {"id": 5}}, 0, written_value(contract(format="avro", schema=SCHEMA))).value == b"\x0a"


def test_bytes_and_texts_stay_what_they_are() -> None:
    given = base64.b64encode(b"\x00\xff").decode()
    assert new_record({"value_base64": given}, 0, written_value(FRAMED)).value == b"\x00\xff"
    assert new_record({"value": "text"}, 0, written_value(FRAMED)).value == b"text"
    assert new_record({}, 0, written_value(FRAMED)).value is None


def test_what_does_not_fit_is_named_with_its_place() -> None:
    with pytest.raises(RefusalError) as refused:
        new_record({"value": {"id": "x"}}, 2, written_value(FRAMED))
    assert refused.value.code == "RECORD_MALFORMED"
    assert "Record 3 does not fit the schema: id is not a whole number" in refused.value.detail
    assert refused.value.problems[0].path == ("records", "2", "value")


def test_a_schema_without_an_id_cannot_be_framed() -> None:
    with pytest.raises(RefusalError) as refused:
        new_record({"value": {"id": 1}}, 0, written_value(contract(format="avro", schema=SCHEMA, framing="confluent")))
    assert refused.value.code == "SCHEMA_UNKNOWN"
