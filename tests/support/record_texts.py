"""How a record of a script is sent in JSON: key, value and headers (`tests/oracle/records.py`)."""

import json
from collections.abc import Sequence
from typing import Any

from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.heartbeats import HEADER
from jobs.formats.records import Row
from tests.oracle.records import HEARTBEAT, TOMBSTONE, fields_of


def key_text(key: Sequence[str], values: dict[str, Any]) -> str | None:
    """The record's key; None where the stream's is not read, or a heartbeat has none.

    Args:
        key: names of the fields that are in the key.
        values: of the record, with its marks.
    """
    known = values.get(TOMBSTONE, values)
    if not key or (HEARTBEAT in values and not known.keys() >= set(key)):
        return None
    return json.dumps({name: known[name] for name in key})


def value_text(values: dict[str, Any]) -> str | None:
    """The record's value; None for a deletion, and for a heartbeat that holds nothing else."""
    fields = fields_of(values)
    return None if TOMBSTONE in values or (HEARTBEAT in values and not fields) else json.dumps(fields)


def key_and_value(key: Sequence[str], values: dict[str, Any]) -> tuple[bytes | None, bytes | None]:
    """Both as bytes."""

    def encoded(text: str | None) -> bytes | None:
        return None if text is None else text.encode()

    return encoded(key_text(key, values)), encoded(value_text(values))


def headers_of(values: dict[str, Any]) -> list[tuple[str, bytes]]:
    """The record's headers."""
    return [(HEADER, values[HEARTBEAT].encode())] if HEARTBEAT in values else []


def decoded(values: dict[str, Any], contract: StreamContract, timestamp_us: int) -> Row | None:
    """The record as the platform reads it; None where it is no row.

    Args:
        values: of the record, with its marks.
        contract: of the stream or table.
        timestamp_us: Kafka's, in microseconds.
    """
    key, value = key_and_value(contract.key, values)
    found = decode(value, key, contract, timestamp_us, headers=headers_of(values))
    return found if isinstance(found, Row) else None
