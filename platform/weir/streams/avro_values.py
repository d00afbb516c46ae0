"""JSON objects as values of an Avro stream's records, for people and programs without a serializer."""

from collections.abc import Callable
from typing import Any

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.contract import StreamContract
from jobs.formats.encodings import AvroEncoding
from jobs.formats.framing import framed
from weir.workspaces.refusals import RefusalError

AvroValue = Callable[[dict[str, Any]], bytes]


def avro_value(contract: StreamContract) -> AvroValue | None:
    """How a stream's values are written: by the schema that it is read by. None where the records are not Avro.

    Args:
        contract: of the stream.

    Returns:
        A function that raises `jobs.formats.avro_from_json.NotWritableError` where an object does not fit.

    Raises:
        RefusalError: SCHEMA_UNKNOWN, when it is asked to frame a record and no id of that schema is known.
    """
    encoding = contract.encoding
    if not isinstance(encoding, AvroEncoding) or encoding.avro_schema is None:
        return None
    schema = encoding.avro_schema
    number = next((number for number, text in encoding.writers.items() if text == schema), None)

    def write(value: dict[str, Any]) -> bytes:
        body = avro_bytes(value, schema)
        if encoding.framing == "none":
            return body
        if number is None:
            raise RefusalError(
                "SCHEMA_UNKNOWN", "The stream's schema is in no subject, so it has no id to stand before a record; send the record's bytes."
            )
        return framed(number, body)

    return write
