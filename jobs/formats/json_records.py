"""The fields of a JSON object."""

from typing import Any

from jobs.formats.framing import json_body
from jobs.formats.json_schema import schema_validator
from jobs.formats.json_text import parse_json
from jobs.formats.json_values import WrongType, typed
from jobs.formats.member_limit import too_many_members
from jobs.formats.record_formats import JsonEncoding
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField, value_at


def read_json(
    value: bytes, encoding: JsonEncoding, fields: tuple[ReadField, ...]
) -> dict[str, Any] | Malformed:
    """A value per field, or TOO_LARGE, NOT_FRAMED, NOT_JSON, TOO_DEEP, NOT_OBJECT, SCHEMA_MISMATCH,
    FIELD_TYPE.
    """
    body = json_body(value, encoding)
    if isinstance(body, Malformed):
        return body
    parsed = parse_json(body)
    if isinstance(parsed, Malformed):
        return parsed
    large = too_many_members(body, fields)
    if large is not None:
        return large
    invalid = schema_validator(encoding.json_schema)(body) if encoding.json_schema is not None else None
    return invalid if invalid is not None else typed_fields(parsed, fields)


def typed_fields(
    parsed: dict[str, Any], fields: tuple[ReadField, ...], time_unit: str = ""
) -> dict[str, Any] | Malformed:
    """The fields of an object, or FIELD_TYPE.

    Args:
        parsed: of `parse_json`.
        fields: those wanted; what the object lacks is null.
        time_unit: in which whole numbers count time, where they may; empty where they may not.
    """
    values: dict[str, Any] = {}
    for field in fields:
        try:
            values[field.name] = typed(value_at(parsed, field.path), field.type, field.at, time_unit)
        except WrongType as wrong:
            return Malformed("FIELD_TYPE", f"{wrong.at}: {wrong.detail}", field.name)
    return values
