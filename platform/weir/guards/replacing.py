"""A record that is sent instead of a single letter's own: value, key and headers, kept until it is sent."""

import base64
from typing import Any

from weir.streams.record_input import NewRecord


def stored(record: NewRecord) -> dict[str, Any]:
    """A record as JSON; bytes are base64, None stays None. Its partition is not kept: the key decides."""
    headers = [[name, _text(value)] for name, value in record.headers]
    return {"value": _text(record.value), "key": _text(record.key), "headers": headers}


def restored(kept: dict[str, Any]) -> NewRecord:
    """The record that `stored` wrote."""
    return NewRecord(_bytes(kept["value"]), _bytes(kept["key"]), tuple((name, _bytes(value)) for name, value in kept["headers"]))


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else base64.b64encode(raw).decode("ascii")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
