"""A plain text record: the whole value is one field."""

from typing import Any

from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField


def read_text(value: bytes, fields: tuple[ReadField, ...]) -> dict[str, Any] | Malformed:
    """The one field of a text, or NOT_TEXT."""
    try:
        return {fields[0].name: value.decode("utf-8")}
    except UnicodeDecodeError as error:
        return Malformed("NOT_TEXT", f"Invalid UTF-8 at byte {error.start}.")
