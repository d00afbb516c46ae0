"""Cursors: where a reader of results stands, opaque to it (`docs/architecture.md#cursors`)."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final

from jobs.formats.json_text import bounded_json

MAX_LENGTH: Final = 8_192
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """Everything before `offsets` was seen.

    Attributes:
        generation: of the job.
        topic_id: Kafka's UUID of the result topic.
        offsets: partition → next offset; a partition that is missing was not read at all.
        at_us: when it was made, in µs.
    """

    generation: int
    topic_id: str
    offsets: dict[int, int]
    at_us: int


class CursorError(ValueError):
    """A text is not a cursor of ours; the reader begins with a snapshot instead."""


def encode_cursor(cursor: Cursor) -> str:
    """The cursor as URL-safe text."""
    offsets = [[partition, offset] for partition, offset in sorted(cursor.offsets.items())]
    body = json.dumps([_VERSION, cursor.generation, cursor.topic_id, offsets, cursor.at_us], separators=(",", ":"))
    return base64.urlsafe_b64encode(body.encode("utf-8")).rstrip(b"=").decode("ascii")


def decode_cursor(text: str) -> Cursor:
    """Read what `encode_cursor` wrote.

    Raises:
        CursorError: anything else.
    """
    if len(text) > MAX_LENGTH:
        raise CursorError("the cursor is too long")
    try:
        body = bounded_json(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
        version, generation, topic_id, offsets, at_us = body
        pairs = {_whole(partition): _whole(offset) for partition, offset in offsets}
    except (binascii.Error, ValueError, TypeError) as error:
        raise CursorError("the cursor is invalid; omit it to get a snapshot") from error
    if version != _VERSION or not isinstance(topic_id, str):
        raise CursorError("the cursor has an unsupported version; omit it to get a snapshot")
    try:
        return Cursor(_whole(generation), topic_id, pairs, _whole(at_us))
    except ValueError as error:
        raise CursorError("the cursor is invalid; omit it to get a snapshot") from error


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0 or value >= 2**63:
        raise ValueError(f"{value!r} is not an integer of at most 63 bits")
    return value


def encode_page(newest_input_us: int, digest: str) -> str:
    """The place after a row in a list that is read newest first."""
    return f"{newest_input_us}.{digest}"


def decode_page(text: str) -> tuple[int, str]:
    """Read what `encode_page` wrote.

    Raises:
        CursorError: anything else.
    """
    newest, _, digest = text.partition(".")
    try:
        return _whole(int(newest.encode("ascii"))), digest
    except ValueError as error:
        raise CursorError("the page cursor is invalid; omit it to get the first page") from error
