"""JSON objects as values of records that are written by a schema, for people and programs without a serializer."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.contract import StreamContract
from jobs.formats.encodings import AvroEncoding, JsonEncoding
from jobs.formats.framing import framed
from weir.workspaces.refusals import RefusalError

WrittenValue = Callable[[dict[str, Any]], bytes]


def written_value(contract: StreamContract) -> WrittenValue | None:
    """How a stream's values are written: by the schema that it is read by. None where objects are written as they are.

    Args:
        contract: of the stream.

    Returns:
        A function that raises `jobs.formats.avro_from_json.NotWritableError` where an object does not fit.

    Raises:
        RefusalError: SCHEMA_UNKNOWN, when it is asked to frame a record and no id of that schema is known.
    """
    encoding = contract.encoding
    if isinstance(encoding, JsonEncoding) and encoding.framing == "confluent" and encoding.schema_id is not None:
        return partial(_framed_json, encoding.schema_id)
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


def _framed_json(number: int, value: dict[str, Any]) -> bytes:
    return framed(number, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
