"""A Kafka record as people see it: text where it is text, its row where it fits the contract, the reason where it does not."""

import base64
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.instants import Instant, instant_text
from jobs.formats.contract import StreamContract
from jobs.formats.json_records import decode
from jobs.formats.records import Row

SHOWN_BYTES: Final = 16_384


def record_json(message: Message, contract: StreamContract | None) -> dict[str, Any]:
    """The API's form of a record.

    Args:
        message: as the client gave it.
        contract: what it should be; None leaves row and event time null.
    """
    value, key = message.value(), message.key()
    append_us = _append_us(message)
    key_text, key_is_text = _shown(key)
    value_text, value_is_text = _shown(value)
    size = len(value or b"") + len(key or b"")
    return {
        "partition": message.partition(),
        "offset": message.offset(),
        "append_time": instant_text(Instant(append_us)),
        "key": key_text,
        "key_is_text": key_is_text,
        "value": value_text,
        "value_is_text": value_is_text,
        "truncated": max(len(value or b""), len(key or b"")) > SHOWN_BYTES,
        "size": size,
        "headers": _headers(message),
        **_decoded(value, contract, append_us),
    }


def _headers(message: Message) -> list[list[str | None]]:
    pairs: Any = message.headers() or []
    return [[name, _shown(content)[0]] for name, content in pairs]


def event_time_us(message: Message, contract: StreamContract) -> int | None:
    """A record's event time, µs; None when it is malformed."""
    value: Any = message.value()
    found = decode(value, contract, _append_us(message))
    return found.event_time if isinstance(found, Row) else None


def _append_us(message: Message) -> int:
    return max(0, message.timestamp()[1]) * 1000


def _decoded(value: Any, contract: StreamContract | None, append_us: int) -> dict[str, Any]:
    if contract is None:
        return {"row": None, "event_time": None, "malformed": None}
    found = decode(value, contract, append_us)
    if isinstance(found, Row):
        return {"row": found.as_json(), "event_time": instant_text(found.event_time), "malformed": None}
    return {"row": None, "event_time": None, "malformed": {"reason": found.reason, "detail": found.detail, "field": found.field}}


def _shown(content: Any) -> tuple[str | None, bool]:
    """The text of some bytes, and whether they are text; others are shown as base64, both cut at `SHOWN_BYTES`."""
    if content is None:
        return None, True
    raw = content if isinstance(content, bytes) else str(content).encode()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(raw[:SHOWN_BYTES]).decode("ascii"), False
    return text[:SHOWN_BYTES], True
