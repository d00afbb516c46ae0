"""JSON form of a replacement record, in which it is stored until it is sent."""

import base64
from typing import Any

from weir.streams.services.record_input import NewRecord


def dump(record: NewRecord) -> dict[str, Any]:
    """Convert a record to JSON; bytes are base64. The partition is left out, as the key decides it."""
    headers = [[name, _text(value)] for name, value in record.headers]
    return {"value": _text(record.value), "key": _text(record.key), "headers": headers}


def load(data: dict[str, Any]) -> NewRecord:
    """Read a record written by `dump`."""
    return NewRecord(
        _bytes(data["value"]),
        _bytes(data["key"]),
        tuple((name, _bytes(value)) for name, value in data["headers"]),
    )


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else base64.b64encode(raw).decode("ascii")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
