"""Encodes JSON as the values and keys of a stream's records, for users and programs without a serializer."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.avro_records import parsed
from jobs.formats.avro_row_schema import value_subject
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from jobs.formats.json_text import compact_json
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.record_key import key_fields
from jobs.formats.records import json_value
from jobs.formats.source_paths import members_of
from weir.schemas.errors import RegistryError
from weir.schemas.services.queries import newest_version
from weir.streams.services.table_keys import given_key
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

JsonIds = Callable[[str], int | None]


def json_schema_ids(workspace: Workspace) -> JsonIds:
    """The id of the newest version of a subject whose schema is a JSON schema, None where there is none; each
    is read once.
    """

    @cache
    def newest(subject: str) -> int | None:
        try:
            schema = newest_version(workspace, subject).schema
        except RegistryError:
            return None
        return schema.schema_id if schema.kind == "JSON" else None

    return newest


class RecordEncoder:
    """Encodes JSON in a stream's own format.

    Args:
        contract: of the stream.
        topic: of the stream; its subjects are named after it, by Confluent's convention.
        json_ids: finds the schema id that prefixes framed JSON.
    """

    def __init__(self, contract: StreamContract, topic: str, json_ids: JsonIds) -> None:
        self._contract = contract
        self._topic = topic
        self._json_ids = json_ids

    @property
    def is_structured(self) -> bool:
        """True if a typed text cannot be a value as it is: values are Avro, or prefixed with a schema id."""
        inner = self._inner
        return isinstance(inner, AvroEncoding) or (
            isinstance(inner, JsonEncoding) and inner.framing == "confluent"
        )

    @property
    def _inner(self) -> JsonEncoding | AvroEncoding | CsvEncoding | TextEncoding:
        encoding = self._contract.encoding
        return encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding

    def value(self, value: Any) -> bytes:
        """A record's value: an object in the form of rows; for change events the complete envelope.

        Raises:
            jobs.formats.avro_from_json.NotWritableError: it does not match the schema.
            ServiceError: SCHEMA_UNKNOWN, there is no schema id for the prefix;
                VALUE_INCOMPATIBLE, values are not JSON.
        """
        inner = self._inner
        if isinstance(inner, CsvEncoding | TextEncoding):
            raise ServiceError(
                "VALUE_INCOMPATIBLE", "Records of this stream are plain text. Enter the value as text."
            )
        if isinstance(inner, AvroEncoding):
            return _avro(value, inner)
        return self._json(value, inner, value_subject(self._topic))

    def key(self, text: str) -> bytes | None:
        """A record's key from the values of its fields: JSON as `given_key` takes it. None, Kafka's null key,
        where a key that is a text is null.

        Raises:
            jobs.formats.avro_from_json.NotWritableError: it does not match the key's schema.
            ServiceError: KEY_INVALID; SCHEMA_UNKNOWN, there is no schema id for the prefix.
        """
        contract = self._contract
        if not contract.key:
            raise ServiceError(
                "KEY_INVALID", "This stream has no key fields. Enter the key as text or base64."
            )
        parts = [json_value(part) for part in given_key(text, contract)]
        fields = members_of(
            (field.path, part) for field, part in zip(key_fields(contract), parts, strict=True)
        )
        single = parts[0]
        match contract.key_encoding:
            case AvroEncoding() as avro:
                return _avro(fields if parsed(avro.avro_schema or "").kind == "record" else single, avro)
            case JsonEncoding() as encoding:
                return self._json(fields, encoding, f"{self._topic}-key")
            case _ if single is None:
                return None
            case _:
                return (single if isinstance(single, str) else json.dumps(single)).encode()

    def _json(self, value: Any, encoding: JsonEncoding, subject: str) -> bytes:
        body = compact_json(value).encode()
        if encoding.framing == "none":
            return body
        number = encoding.schema_id or self._json_ids(subject)
        if number is None:
            raise ServiceError(
                "SCHEMA_UNKNOWN",
                f"Records need a schema ID prefix, but subject {subject[:200]} has no JSON schema. "
                "Register one, or use base64 bytes.",
            )
        return framed(number, body)


def _avro(value: Any, encoding: AvroEncoding) -> bytes:
    schema = encoding.avro_schema or ""
    body = avro_bytes(value, schema)
    if encoding.framing == "none":
        return body
    number = next((number for number, text in encoding.writers.items() if text == schema), None)
    if number is None:
        raise ServiceError(
            "SCHEMA_UNKNOWN",
            (
                "Records need a schema ID prefix, but the stream's schema isn't registered under a subject. "
                "Use base64 bytes."
            ),
        )
    return framed(number, body)
