"""Cursors: opaque positions of readers of results (`docs/architecture.md#cursors`)."""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from jobs.formats.json_text import bounded_json

MAX_LENGTH: Final = 8_192
_VERSION: Final = 1
_DIGITS: Final = re.compile("0|[1-9][0-9]{0,18}")  # as they are written; int() reads more


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a reader that has seen everything before `offsets`.

    Attributes:
        generation: of the job.
        topic_id: Kafka's UUID of the result topic.
        offsets: partition → next offset; a missing partition was not read.
        at_us: time of its creation, in µs.
    """

    generation: int
    topic_id: str
    offsets: dict[int, int]
    at_us: int


class CursorError(ValueError):
    """A text is not a valid cursor; the reader starts with a snapshot instead."""


def encode_cursor(cursor: Cursor) -> str:
    """Encode a cursor as URL-safe text."""
    offsets = [[partition, offset] for partition, offset in sorted(cursor.offsets.items())]
    body = json.dumps(
        [_VERSION, cursor.generation, cursor.topic_id, offsets, cursor.at_us], separators=(",", ":")
    )
    return base64.urlsafe_b64encode(body.encode("utf-8")).rstrip(b"=").decode("ascii")


def decode_cursor(text: str) -> Cursor:
    """Decode a cursor.

    Raises:
        CursorError: anything else.
    """
    if len(text) > MAX_LENGTH:
        raise CursorError("the cursor is too long")
    try:
        body = bounded_json(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
        version, generation, topic_id, offsets, at_us = body
        pairs = {_integer(partition): _integer(offset) for partition, offset in offsets}
    except (binascii.Error, ValueError, TypeError) as error:
        raise CursorError("the cursor is invalid; omit it to get a snapshot") from error
    if version != _VERSION or not isinstance(topic_id, str):
        raise CursorError("the cursor has an unsupported version; omit it to get a snapshot")
    try:
        return Cursor(_integer(generation), topic_id, pairs, _integer(at_us))
    except ValueError as error:
        raise CursorError("the cursor is invalid; omit it to get a snapshot") from error


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0 or value >= 2**63:
        raise ValueError(f"{value!r} is not an integer of at most 63 bits")
    return value


def encode_page(generation: int, newest_input_us: int, digest: str) -> str:
    """Encode the position after a row in a list of a generation's rows, newest first."""
    return f"{generation}.{newest_input_us}.{digest}"


def decode_page(text: str, generation: int) -> tuple[int, str]:
    """Decode a page cursor of this generation.

    Raises:
        CursorError: anything else, also one of another generation, whose rows are other rows.
    """
    of, _, rest = text.partition(".")
    newest, _, digest = rest.partition(".")
    if of != str(generation) or not _DIGITS.fullmatch(newest) or int(newest) >= 2**63:
        raise CursorError("the page cursor is invalid; omit it to get the first page")
    return int(newest), digest
