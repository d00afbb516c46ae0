"""Change events whose envelope is an Avro record: `before`, `after`, `source`, `op`, `ts_ms`,
as Debezium's connectors register it.
"""

from typing import Any, Final

from jobs.base.schemas import Field
from jobs.base.types import DATE, INT, LONG, STRING, TIMESTAMP, DataType, Decimal, Member, Struct, type_text
from jobs.formats.avro_records import SchemaOf, read_datum
from jobs.formats.avro_tree import AvroSchemaError, AvroType
from jobs.formats.json_text import NumberText
from jobs.formats.json_values import WrongType, typed
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField, value_at

_COUNTED: Final = (INT, LONG, STRING)


def avro_event(
    value: bytes, encoding: AvroEncoding, schema_of: SchemaOf | None
) -> dict[str, Any] | Malformed:
    """The envelope's fields, or NOT_FRAMED, SCHEMA_UNKNOWN, SCHEMA_MISMATCH, NOT_AVRO, NOT_CHANGE."""
    found = read_datum(value, encoding, schema_of)
    return (
        found
        if isinstance(found, dict | Malformed)
        else Malformed("NOT_CHANGE", "Not a change event: the value isn't a record.")
    )


def row_members(envelope: tuple[Field, ...]) -> dict[str, Member]:
    """The columns of the row in an envelope, by the fields of its schema.

    Raises:
        AvroSchemaError: it is no envelope of change events.
    """
    declared = {field.name: field.type for field in envelope}
    row = declared.get("after")
    if declared.get("op") != STRING or not isinstance(row, Struct):
        raise AvroSchemaError("Not a Debezium envelope: expected a string `op` and a record `after`.")
    return {member.name: member for member in row.members}


def counted_units(envelope: AvroType) -> dict[str, str]:
    """In which unit columns of the row in an envelope count time: ms, us or ns, where its connector says it.
    One may write columns of three digits in ms and others in us.
    """
    rows = [part for field in envelope.fields if field.name == "after" for part in _branches(field.type)]
    columns = [(field.name, part) for row in rows for field in row.fields for part in _branches(field.type)]
    return {name: part.counts for name, part in columns if part.counts}


def _branches(node: AvroType) -> tuple[AvroType, ...]:
    return node.parts if node.kind == "union" else (node,)


def fits_column(declared: DataType, column: DataType) -> bool:
    """True when a field may be declared as this type: the column's own, or what it counts or writes as text.

    Debezium writes most times as whole numbers, zoned times as texts, and decimals as texts where it is told
    to.
    """
    if type_text(declared) == type_text(column):  # a declared type does not say what inside it may be null
        return True
    return (
        column == STRING
        if isinstance(declared, Decimal)
        else declared in (TIMESTAMP, DATE) and column in _COUNTED
    )


def row_fields(
    after: dict[str, Any], fields: tuple[ReadField, ...], time_unit: str
) -> dict[str, Any] | Malformed:
    """The fields of a row, or FIELD_TYPE.

    Args:
        after: the envelope's row, by Avro's types.
        fields: those wanted, each of a column.
        time_unit: in which timestamps count that are whole numbers; dates count days.
    """
    values: dict[str, Any] = {}
    for field in fields:
        value = value_at(after, field.path)
        is_counted = field.type in (TIMESTAMP, DATE) and isinstance(value, int)
        if is_counted or (isinstance(value, str) and field.type != STRING):
            try:
                value = typed(
                    NumberText(str(value), whole=True) if is_counted else value,
                    field.type,
                    field.at,
                    time_unit,
                )
            except WrongType as wrong:
                return Malformed("FIELD_TYPE", f"{wrong.at}: {wrong.detail}", field.name)
        values[field.name] = value
    return values
