"""An Avro record: decoded under its writer's schema, resolved to what readers see."""

from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

import fastavro

from jobs.base.schemas import Field
from jobs.base.sized_cache import sized_cache
from jobs.formats.avro_byte_checks import MAX_ITEMS, exceeds_item_limit, number_check
from jobs.formats.avro_member_limit import members_count
from jobs.formats.avro_resolution import NoResolution, Resolution, resolve
from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_schema_json import decoding_schema
from jobs.formats.avro_tree import AvroSchemaError, AvroType
from jobs.formats.avro_types import fields_of, type_of
from jobs.formats.framing import unframed
from jobs.formats.member_limit import MAX_MEMBERS, members_exceeded
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField, value_at

SchemaOf = Callable[[int], str | None]
"""The text of a schema by id, or None when there is none of that id."""

_MAX_KEPT: Final = 2_000_000  # characters of schemas, each of which takes some 30 bytes
_MAX_ENTRIES: Final = 256
_BAD_BYTES: Final = (EOFError, ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError)


def read_avro(
    value: bytes, encoding: AvroEncoding, fields: tuple[ReadField, ...], schema_of: SchemaOf | None = None
) -> Any:
    """The fields of a record.

    Args:
        value: the record's bytes.
        encoding: schema and framing.
        fields: those wanted, all of the reader's schema.
        schema_of: where schemas of unknown ids are found; without it only those of the encoding are known.

    Returns:
        A value per field, or `Malformed` with TOO_LARGE, NOT_FRAMED, SCHEMA_UNKNOWN, SCHEMA_MISMATCH,
        NOT_AVRO.
    """
    found = read_datum(value, encoding, schema_of)
    return (
        found
        if isinstance(found, Malformed)
        else {field.name: value_at(found, field.path) for field in fields}
    )


def read_datum(value: bytes, encoding: AvroEncoding, schema_of: SchemaOf | None = None) -> Any:
    """The whole value of a record, which need not be a record in Avro's sense, or `Malformed`."""
    reader = encoding.avro_schema
    writer, body = reader, value
    if encoding.framing == "confluent":
        frame = unframed(value)
        if isinstance(frame, Malformed):
            return frame
        schema_id, body = frame
        writer = encoding.writers.get(schema_id) or (schema_of(schema_id) if schema_of is not None else None)
        if writer is None:
            return Malformed("SCHEMA_UNKNOWN", f"Unknown schema ID {schema_id}.")
    if reader is None or writer is None:
        return Malformed("SCHEMA_UNKNOWN", "The stream's subject has no schema yet.")
    return _decoder(writer, reader)(body)


def _kept_size(writer: str, reader: str) -> int:
    """Of both texts, and of what the reader's defaults become: some signs may be a million values."""
    size = len(writer) + len(reader)
    try:
        return size + parsed(reader).default_values
    except AvroSchemaError:
        return size


@sized_cache(_MAX_KEPT, _MAX_ENTRIES, _kept_size)
def _decoder(writer: str, reader: str) -> Callable[[bytes], Any]:
    """Bytes to values for one pair of schemas; a pair that does not fit is remembered like any other, one
    that the current budget does not last for is not.
    """
    try:
        wrote, reads = parsed(writer), parsed(reader)
        _require_types(wrote)
        _require_types(reads)
        plain = fastavro.parse_schema(decoding_schema(wrote))
        run = Resolution()
        turn = resolve(wrote, reads, run)
        members = members_count(wrote, reads, run)
        wrong_number = number_check(wrote)
    except (AvroSchemaError, NoResolution) as error:
        mismatch = Malformed("SCHEMA_MISMATCH", f"{error}"[:300])
        return lambda _: mismatch

    def decode(body: bytes) -> Any:
        if exceeds_item_limit(wrote, body):
            return Malformed("TOO_LARGE", f"The record's arrays and maps have more than {MAX_ITEMS} items.")
        if problem := wrong_number(body):
            return Malformed("NOT_AVRO", problem)
        stream = BytesIO(body)
        try:
            raw = fastavro.schemaless_reader(stream, plain, None, return_named_type=True)
            if stream.tell() != len(body):
                return Malformed("NOT_AVRO", f"{len(body) - stream.tell()} extra bytes after the record.")
            # Only items repeat, and each takes at least a byte.
            if members.most * (len(body) + 1) > MAX_MEMBERS and members.of(raw) > MAX_MEMBERS:
                return members_exceeded()
            return turn(raw)
        except NoResolution as error:
            return Malformed("SCHEMA_MISMATCH", f"{error}"[:300])
        except _BAD_BYTES as error:
            return Malformed(
                "NOT_AVRO", f"The record doesn't match its schema: {type(error).__name__} {error}"[:300]
            )

    return decode


def _require_types(schema: AvroType) -> None:
    """A record's own fields may have any name: a contract names them for jobs."""
    if schema.kind == "record":
        fields_of(schema)
    else:
        type_of(schema)


@sized_cache(_MAX_KEPT, _MAX_ENTRIES, len)
def parsed(text: str) -> AvroType:
    """A schema by its text, parsed once."""
    return parse_avro(text)


def avro_fields(encoding: AvroEncoding) -> tuple[Field, ...]:
    """The fields that readers see.

    Raises:
        AvroSchemaError: the schema is none, or cannot become fields.
    """
    return fields_of(parsed(encoding.avro_schema or ""))
