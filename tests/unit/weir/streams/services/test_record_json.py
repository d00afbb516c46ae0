"""A record's decoded parts as texts: nested, whole, with every digit, for each format."""

import json
from typing import Any

import pytest

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from weir.streams.services.record_json import json_text, json_texts

BIG = 2**60 + 1
LINE = {"type": "record", "name": "Line", "fields": [{"name": "sku", "type": "string"}]}
ORDER = {
    "type": "record", "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "lines", "type": {"type": "array", "items": LINE}}],
}  # fmt: skip
ENVELOPE = {
    "type": "record", "name": "Envelope",
    "fields": [{"name": "before", "type": ["null", ORDER]}, {"name": "after", "type": ["null", "Order"]},
        {"name": "op", "type": "string"}],
}  # fmt: skip
WHOLE = {"id": BIG, "lines": [{"sku": "<b>1</b>"}]}
EVENT = {"before": None, "after": WHOLE, "op": "c"}


class Record:
    def __init__(self, value: bytes | None, key: bytes | None = None) -> None:
        self._value, self._key = value, key

    def value(self) -> bytes | None:
        return self._value

    def key(self) -> bytes | None:
        return self._key

    def headers(self) -> None:
        return None

    def timestamp(self) -> tuple[int, int]:
        return 1, 1_750_000_000_000


def texts(record: Record, **contract: Any) -> dict[str, str | None]:
    typed = StreamContract.model_validate({"fields": [{"name": "id", "type": "long"}], **contract})
    given: Any = record
    return json_texts(given, typed, None)


@pytest.mark.parametrize(
    ("value", "encoding", "holds"),
    [
        (json.dumps(WHOLE).encode(), {"format": "json"}, WHOLE),
        (framed(1, json.dumps(WHOLE).encode()), {"format": "json", "framing": "confluent"}, WHOLE),
        (avro_bytes(WHOLE, json.dumps(ORDER)), {"format": "avro", "schema": json.dumps(ORDER)}, WHOLE),
        (json.dumps(EVENT).encode(), {"format": "debezium"}, EVENT),
        (
            avro_bytes(EVENT, json.dumps(ENVELOPE)),
            {"format": "debezium", "inner": {"format": "avro", "schema": json.dumps(ENVELOPE)}},
            EVENT,
        ),
    ],
)
def test_all_that_a_value_holds_is_shown_beside_its_declared_fields(
    value: bytes, encoding: dict[str, Any], holds: Any
) -> None:
    found = texts(Record(value), encoding=encoding)
    assert found["row_json"] == f'{{\n  "id": {BIG}\n}}'
    assert json.loads(found["value_json"] or "") == holds
    assert str(BIG) in (found["value_json"] or "")


def test_what_has_no_structure_has_no_text() -> None:
    assert texts(Record(b"1,2"), encoding={"format": "csv"}) == {
        "row_json": None,
        "value_json": None,
        "key_json": None,
    }
    assert texts(Record(b"{")) == {"row_json": None, "value_json": None, "key_json": None}
    assert texts(Record(None), kind="table", key=["id"])["row_json"] is None


def test_a_key_is_decoded_where_fields_are_read_from_it() -> None:
    keyed = {"key": ["k"], "fields": [{"name": "k", "type": "long"}, {"name": "id", "type": "long"}]}
    assert texts(Record(b'{"id":1}', str(BIG).encode()), **keyed)["key_json"] == f'{{\n  "k": {BIG}\n}}'
    assert texts(Record(b'{"id":1}', b"x"), **keyed)["key_json"] is None
    assert texts(Record(b'{"id":1}', b"1"))["key_json"] is None


def test_a_topic_without_a_contract_shows_json_where_it_is() -> None:
    given: Any = Record(b'{"a":1.50,"b":[],"c":{}}')
    assert json_texts(given, None, None)["value_json"] == '{\n  "a": 1.50,\n  "b": [],\n  "c": {}\n}'


def test_texts_keep_their_signs() -> None:
    assert json_text({"a": ["ä", None, True]}) == '{\n  "a": [\n    "ä",\n    null,\n    true\n  ]\n}'
