"""Which records a person asked for, by the key in each of its forms."""

import base64
import json
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from weir.streams.services.record_filter import KeyAs, record_filter
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

KEY = json.dumps(
    {
        "type": "record",
        "name": "K",
        "fields": [{"name": "shop", "type": "string"}, {"name": "id", "type": "long"}],
    }
)
FIELDS = [{"name": "shop", "type": "string"}, {"name": "id", "type": "long"}, {"name": "x", "type": "int"}]
BIG = 2**60 + 1
KEYED = {"shop": "ä", "id": BIG}
RAW = framed(3, avro_bytes(KEYED, KEY))


class Record:
    def __init__(self, key: bytes | None) -> None:
        self._key = key

    def key(self) -> bytes | None:
        return self._key


def ref(**contract: Any) -> TopicRef:
    typed = StreamContract.model_validate({"fields": FIELDS, **contract})
    return TopicRef(ClusterProfile(cluster_id="home", bootstrap="nowhere:1"), "t", 1, typed)


AVRO = ref(
    key=["shop", "id"],
    key_encoding={"format": "avro", "schema": KEY, "framing": "confluent", "writers": {"3": KEY}},
)


@pytest.mark.parametrize(
    ("key", "key_as"),
    [
        (json.dumps(KEYED), "fields"),
        (json.dumps(KEYED), "auto"),
        (json.dumps(["ä", BIG]), "fields"),
        (base64.b64encode(RAW).decode(), "base64"),
        (RAW.hex(), "hex"),
        ("0x" + RAW.hex(" "), "hex"),
    ],
)
def test_a_binary_key_is_found_by_its_fields_and_by_its_bytes(key: str, key_as: KeyAs) -> None:
    keep: Any = record_filter(AVRO, key, None, key_as)
    other = framed(3, avro_bytes({**KEYED, "id": BIG - 1}, KEY))
    assert [keep(Record(raw)) for raw in (RAW, other, b"\x00", None)] == [True, False, False, False]


@pytest.mark.parametrize("key_as", ["text", "auto"])
def test_a_text_is_the_keys_bytes(key_as: KeyAs) -> None:
    keep: Any = record_filter(ref(), "ä", None, key_as)
    assert [keep(Record(raw)) for raw in ("ä".encode(), b"a", None)] == [True, False, False]


@pytest.mark.parametrize(
    ("asked", "key", "key_as"),
    [(ref(), "1", "fields"), (AVRO, "1", "fields"), (AVRO, "=?", "base64"), (AVRO, "xyz", "hex")],
)
def test_what_is_no_key_is_refused(asked: TopicRef, key: str, key_as: KeyAs) -> None:
    with pytest.raises(ServiceError) as refused:
        record_filter(asked, key, None, key_as)
    assert refused.value.code == "KEY_INVALID"
