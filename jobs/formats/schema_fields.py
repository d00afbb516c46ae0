"""The fields that an encoding's own schema gives, before anybody has declared them."""

from jobs.base.schemas import Field
from jobs.formats.avro_records import avro_fields
from jobs.formats.debezium_avro import row_members
from jobs.formats.field_names import proposed_fields
from jobs.formats.json_schema import json_schema_values
from jobs.formats.json_schema_fields import json_members
from jobs.formats.record_formats import AvroEncoding, DebeziumEncoding, Encoding, JsonEncoding
from jobs.formats.source_paths import ReadField


def schema_fields(encoding: Encoding) -> tuple[ReadField, ...]:
    """What a stream of this encoding can declare, in the schema's order.

    Args:
        encoding: of values; a subject's text is already in it.

    Returns:
        The fields of Avro records or of a JSON Schema's objects, or the columns of the rows in Avro change
        events; none for formats without a schema. What cannot keep its name has one for jobs and the path to
        it.

    Raises:
        AvroSchemaError: the schema is none, cannot become fields, or is no envelope of change events.
        JsonSchemaError: records cannot be validated against it.
    """
    match encoding:
        case AvroEncoding():
            return proposed_fields(avro_fields(encoding))
        case DebeziumEncoding(inner=AvroEncoding() as inner):
            columns = row_members(avro_fields(inner)).values()
            return proposed_fields(Field(column.name, column.type, column.nullable) for column in columns)
        case JsonEncoding(json_schema=str() as text):
            return proposed_fields(json_members(json_schema_values(text)))
        case _:
            return ()
