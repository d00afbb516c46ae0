"""The key fields of a record, from its key's bytes."""

from typing import Any

from jobs.formats.avro_records import SchemaOf, read_datum
from jobs.formats.contract import StreamContract
from jobs.formats.framing import json_body
from jobs.formats.json_text import parse_any
from jobs.formats.json_values import WrongType, typed
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.record_formats import AvroEncoding, JsonEncoding, KeyEncoding
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField, value_at
from jobs.formats.text_values import typed_text


def key_fields(contract: StreamContract) -> tuple[ReadField, ...]:
    """The fields that the key holds, in the key's order."""
    declared = {field.name: field for field in contract.read_fields}
    return tuple(declared[name] for name in contract.key if name in declared)


def read_key(
    key: bytes | None, contract: StreamContract, schema_of: SchemaOf | None = None
) -> dict[str, Any] | Malformed:
    """The key's values, or KEY_NULL (tables only), KEY_INVALID.

    Args:
        key: its bytes; None for a record without one.
        contract: of the stream or table.
        schema_of: as for `read_avro`.
    """
    fields = key_fields(contract)
    if key is None:
        found: Any = {field.name: None for field in fields}
    else:
        found = _read(key, contract.key_encoding, fields, schema_of)
        if found is None:
            return Malformed(
                "KEY_INVALID",
                f"The key doesn't match its encoding; expected {', '.join(contract.key)}.",
                contract.key[0],
            )
    missing = [name for name in contract.key if found[name] is None]
    if contract.kind == "table" and missing:
        return Malformed("KEY_NULL", f"{missing[0]} is null in the key.", missing[0])
    return dict(found)


def _read(
    key: bytes, encoding: KeyEncoding, fields: tuple[ReadField, ...], schema_of: SchemaOf | None
) -> dict[str, Any] | None:
    """The values, or None when the key does not hold them."""
    if len(key) > MAX_BYTES:
        return None
    try:
        if isinstance(encoding, JsonEncoding):
            return _json(key, encoding, fields)
        if isinstance(encoding, AvroEncoding):
            return _avro(key, encoding, fields, schema_of)
        return {fields[0].name: typed_text(key.decode("utf-8"), fields[0].type)}
    except (WrongType, UnicodeDecodeError):
        return None


def _json(key: bytes, encoding: JsonEncoding, fields: tuple[ReadField, ...]) -> dict[str, Any] | None:
    body = json_body(key, encoding)
    if isinstance(body, Malformed):
        return None
    parsed = parse_any(body)
    if isinstance(parsed, Malformed):
        return None
    parts = _parts(parsed, fields)
    return (
        None
        if parts is None
        else {field.name: typed(part, field.type) for field, part in zip(fields, parts, strict=True)}
    )


def _parts(parsed: Any, fields: tuple[ReadField, ...]) -> list[Any] | None:
    if isinstance(parsed, dict):
        inner = _unwrapped(parsed, {str(field.path[0]) for field in fields})
        return None if inner is None else [value_at(inner, field.path) for field in fields]
    parts = parsed if isinstance(parsed, list) else [parsed]
    return parts if len(parts) == len(fields) else None


def _unwrapped(parsed: dict[str, Any], names: set[str]) -> dict[str, Any] | None:
    """The key itself: converters put it into `payload` when they write its schema beside it.

    None where that is no object.
    """
    payload = parsed.get("payload")
    if payload is None or names & {"schema", "payload"}:
        return parsed
    if not isinstance(payload, dict):
        return None
    return payload if parsed.get("schema") is not None else parsed


def _avro(
    key: bytes, encoding: AvroEncoding, fields: tuple[ReadField, ...], schema_of: SchemaOf | None
) -> dict[str, Any] | None:
    found = read_datum(key, encoding, schema_of)
    if isinstance(found, Malformed):
        return None
    if isinstance(found, dict):
        return {field.name: value_at(found, field.path) for field in fields}
    return {fields[0].name: found} if len(fields) == 1 else None  # a contract of an older version
