"""How keys of a sample are written."""

import pytest

from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from jobs.formats.infer_keys import infer_keys
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ([], (None, "none")),
        ([None, None], (None, "none")),
        ([b"EWR", b"JFK"], ("text", "none")),
        ([b"42", b"7"], ("text", "none")),
        ([b"true"], ("text", "none")),
        ([b"null"], ("text", "none")),
        ([b""], ("text", "none")),
        ([b'"EWR"'], ("json", "none")),
        ([b'{"id":1}'], ("json", "none")),
        ([b'[1,"a"]'], ("json", "none")),
        ([b"{id:1}"], ("text", "none")),
        ([b"\xff\xfe"], (None, "none")),
        ([(42).to_bytes(8)], (None, "none")),
        ([(42).to_bytes(4)], (None, "none")),
        ([framed(0, b'{"id":1}')], (None, "none")),
        ([b"two\r\nlines\tand a tab"], ("text", "none")),
        ([framed(7, b'{"id":1}')], ("json", "confluent")),
        ([framed(7, b"\x02\x06abc")], ("avro", "confluent")),
        ([b"EWR", b"JFK", b'{"id":1}'], ("text", "none")),
        ([b"EWR", None, None], ("text", "none")),
    ],
)
def test_the_format(keys: list[bytes | None], found: tuple[str | None, str]) -> None:
    seen = infer_keys(keys)
    assert (seen.format, seen.framing) == found
    assert (seen.records, seen.present) == (len(keys), sum(key is not None for key in keys))


def test_what_is_said() -> None:
    assert infer_keys([b"EWR", b"JFK", b'{"id":1}']).reason == "Most keys (2 of 3): each is plain text."
    assert infer_keys([b"EWR"] * 3).reason == "Every key is plain text."
    assert infer_keys([b"a\xc3\xbc", b"\xff"]).examples == ("aü", "0xff")
    assert infer_keys([(42).to_bytes(4)]).examples == ("0x0000002a",)


def test_members_of_keys() -> None:
    assert infer_keys([b'{"_id":1,"of":2}', b'{"_id":2}', b'{"_id":3}']).members == ("_id",)
    assert infer_keys([b'{"schema":{},"payload":{"id":1}}']).members == ("id",)


@pytest.mark.parametrize(
    "key", [b"EWR", b"42", b'"EWR"', b'["EWR"]', b'{"id":"EWR"}', framed(3, b'{"id":"EWR"}')]
)
def test_a_key_is_readable_as_proposed(key: bytes) -> None:
    seen = infer_keys([key])
    encoding = {"format": seen.format, **({"framing": seen.framing} if seen.format == "json" else {})}
    fields = [{"name": "id", "type": "string"}, {"name": "v", "type": "int"}]
    contract = StreamContract.model_validate(
        {"kind": "table", "key": ["id"], "key_encoding": encoding, "fields": fields}
    )
    assert not isinstance(read_key(key, contract), Malformed)
