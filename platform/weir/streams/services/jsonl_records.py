"""Parses the lines of a file into records: values, complete records with their parts,
or lines of our own export.
"""

from typing import Any, Final

from jobs.formats.json_text import WrittenFloat, bounded_json

PARTS: Final = frozenset(
    {"value", "value_json", "value_base64", "key", "key_json", "key_base64", "headers", "partition"}
)
_EXPORTED: Final = frozenset({"offset", "timestamp", "value_base64", "key_base64", "headers"})


class TruncatedExportError(ValueError):
    """The line says that the export is not complete; the message says where."""


def filled_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1. A line ends with LF or CRLF alone: JSON holds
    other line ends, such as U+2028, in its texts.
    """
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def parse_line(line: str, *, structured: bool) -> dict[str, Any]:
    """Parse a line into the API's form of a record.

    Args:
        line: an object with ``value``, ``value_json`` or ``value_base64`` and no members but `PARTS` is a
            complete record; an object with the members of an export is that record, byte for byte, without
            its coordinates; any other line is a value.
        structured: values are JSON that the server encodes in the stream's format.

    Raises:
        TruncatedExportError: the line says that the export, or this record of it, is incomplete.
    """
    try:
        parsed = bounded_json(line, parse_float=WrittenFloat)
    except ValueError:
        return {"value": line}
    if isinstance(parsed, dict):
        if parsed.keys() == {"stopped"} and isinstance(parsed["stopped"], str):
            raise TruncatedExportError(f"The file is an incomplete export: {parsed['stopped'][:200]}.")
        if parsed.keys() >= _EXPORTED:
            return _exported(parsed)
        if parsed.keys() <= PARTS and parsed.keys() & {"value", "value_json", "value_base64"}:
            return _complete(parsed, structured=structured)
        if structured:
            return {"value_json": line}
    return {"value": line}


def _complete(record: dict[str, Any], *, structured: bool) -> dict[str, Any]:
    """Where the server encodes objects, a text that holds an object is taken as that object."""
    value = record.get("value")
    if structured and isinstance(value, str) and "value_base64" not in record and value.lstrip()[:1] == "{":
        return {**{name: part for name, part in record.items() if name != "value"}, "value_json": value}
    return record


def _exported(record: dict[str, Any]) -> dict[str, Any]:
    if record.get("truncated") is True:
        raise TruncatedExportError("The record has more headers than an export holds.")
    headers = record["headers"]
    if isinstance(headers, list):
        headers = [_header(header) if isinstance(header, dict) else header for header in headers]
    return {"value_base64": record["value_base64"], "key_base64": record["key_base64"], "headers": headers}


def _header(header: dict[str, Any]) -> dict[str, Any]:
    part = "value" if header.get("value_is_text", True) else "value_base64"
    return {"name": header.get("name"), part: header.get("value")}
