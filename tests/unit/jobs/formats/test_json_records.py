"""What JSON records cannot say in the shared table."""

from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed


def test_deep_text_does_not_exhaust_the_stack() -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int"}]})
    for deep in (
        b'{"a":' + b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    ):
        found = decode(deep, None, contract, 1)
        assert isinstance(found, Malformed)
        assert found.reason == "TOO_DEEP"


def test_a_key_that_cannot_be_printed_is_escaped() -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "m", "type": "map<string,int>"}]})
    found = decode(b'{"m":{"a\\u0000b\\u00e9":"x"}}', None, contract, 1)
    assert isinstance(found, Malformed)
    assert found.detail == "m.a\\x00b\u00e9: 'x' is not int."


def test_a_lone_surrogate_is_no_text() -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "string"}]})
    found = decode(b'{"a":"\\ud800"}', None, contract, 1)
    assert isinstance(found, Malformed)
    assert found.reason == "FIELD_TYPE"
