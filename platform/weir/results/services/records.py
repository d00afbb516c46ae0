"""Parses result records from Kafka, and formats rows as JSON for snapshots and deltas."""

import hashlib
import json
from typing import Any, NamedTuple

from confluent_kafka import Message
from pydantic_core import from_json

from jobs.formats.json_text import bounded_json
from jobs.formats.malformed_reasons import MAX_DEPTH
from jobs.kafka_messages import HEADER_EPOCH, HEADER_NEWEST_INPUT, HEADER_PARTIAL
from weir.clusters.services.message_headers import headers_of


class ResultRecord(NamedTuple):
    """One change of a generation's output.

    Attributes:
        key: identity text (`docs/semantics/identity-and-results.md#identity`).
        value: JSON object as text, or None for a tombstone.
        newest_input_us: Kafka timestamp of the newest input inside the result, in µs.
        partial: the window began before the start position, or was open when a measure was added.
        epoch: of the run that wrote it.
        partition: of the record.
        offset: of the record.
        timestamp_ms: its Kafka timestamp.
    """

    key: str
    value: str | None
    newest_input_us: int
    partial: bool
    epoch: int
    partition: int
    offset: int
    timestamp_ms: int


class ResultRecordError(ValueError):
    """A record of a result topic is not a result of Weir."""

    def __init__(self, partition: int, offset: int, reason: str) -> None:
        super().__init__(f"record {offset} of partition {partition} is not a result: {reason}")
        self.partition = partition
        self.offset = offset


def read_record(message: Message, known: dict[bytes, str] | None = None) -> ResultRecord:
    """Parse a result record.

    Args:
        message: of a result topic.
        known: keys that were parsed before, by their bytes; this one is added. None: they are not remembered.

    Raises:
        ResultRecordError: no key, an invalid key or value, or headers that are not numbers.
    """
    known = {} if known is None else known
    partition, offset = message.partition() or 0, message.offset() or 0
    timestamp_ms = message.timestamp()[1]
    try:
        headers = dict(headers_of(message))
        raw = message.key() or b""
        key = known.get(raw)
        if key is None:
            key = known[raw] = _key(raw)
        return ResultRecord(  # by place, since by name it takes twice as long
            key,
            _value(message.value()),
            max(0, _number(headers.get(HEADER_NEWEST_INPUT), timestamp_ms * 1000, least=-(2**63))),
            headers.get(HEADER_PARTIAL) == b"1",
            _number(headers.get(HEADER_EPOCH), 0),
            partition,
            offset,
            timestamp_ms,
        )
    except ValueError as error:
        raise ResultRecordError(partition, offset, str(error)) from error


def _json(raw: bytes) -> Any:
    """The value of a JSON text, bounded as by `bounded_json`, which takes nine times as long."""
    if raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH:
        try:
            return from_json(raw, allow_inf_nan=False, cache_strings="keys")  # values seldom repeat
        except ValueError:  # the other reader has the last word: an unpaired surrogate is a text for it
            pass
    return bounded_json(raw)


def _number(raw: object, default: int, least: int = 0) -> int:
    if not isinstance(raw, bytes):
        return default
    number = int(raw)
    if not least <= number < 2**63:
        raise ValueError("a header's number is out of range")
    return number


def _key(raw: bytes) -> str:
    if raw[:1] != b"[" or not isinstance(_json(raw), list):
        raise ValueError("its key is not a JSON array")
    return raw.decode("utf-8")


def _value(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    if not isinstance(_json(raw), dict):
        raise ValueError("its value is not a JSON object")
    return raw.decode("utf-8")


def key_digest(key: str) -> str:
    """Digest of a key for the index: 32 hexadecimal digits."""
    return hashlib.blake2b(key.encode("utf-8"), digest_size=16).hexdigest()


def row_json(
    *, key: str, value: str | None, newest_input_us: int, offset: int, partition: int, partial: bool
) -> str:
    """The row of the WebSocket protocol, as text (docs/protocol.md). `value` is JSON text that was
    checked when it was read.
    """
    window = ',"partial":true' if partial else ""
    name = json.dumps(key, ensure_ascii=False)
    position = f'"n":{newest_input_us},"o":{offset},"p":{partition}'
    return f'{{"k":{name},"v":{value or "null"},{position}{window}}}'
