"""What gives the values of a field their meaning, beside its path and type: how its encoding reads them.

State holds values that were read by the contract of their time. Two contracts that give a field the same
meaning never read two different values from one record; which records they refuse may differ, as with a
filter. `docs/semantics/restarts-and-versions.md#generations`.
"""

from typing import Any

from jobs.base.types import TIMESTAMP, holds
from jobs.formats.avro_meaning import column_meaning, member_meaning
from jobs.formats.contract import StreamContract
from jobs.formats.csv_records import csv_columns
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.source_paths import ReadField


def value_meanings(contract: StreamContract) -> dict[str, list[Any]]:
    """The meaning of each declared field's values, by its name, as JSON values. Empty for plain JSON, and for
    the first field of a JSON key: jobs that were started before the encoding counted go on.

    Args:
        contract: of the stream or table.
    """
    fields = contract.read_fields
    of_value = [field for field in fields if field.name not in contract.key]
    of_key = [field for field in fields if field.name in contract.key]
    return {
        **{field.name: found for field, found in zip(of_value, _of_values(contract, of_value), strict=True)},
        **{field.name: _of_key(contract, field) for field in of_key},
    }


def _of_values(contract: StreamContract, fields: list[ReadField]) -> list[list[Any]]:
    match contract.encoding:
        case JsonEncoding():
            return [[] for _ in fields]
        case AvroEncoding() as avro:
            return [["avro", member_meaning(avro, str(field.path[0]))] for field in fields]
        case CsvEncoding() as csv:
            signs = [csv.delimiter, csv.quote, csv.null_text, csv.trim]
            places = {column: place for place, column in enumerate(csv_columns(csv, tuple(fields)))}
            return [["csv", places.get(str(field.path[0])), *signs] for field in fields]
        case TextEncoding():
            return [["text"] for _ in fields]
        case DebeziumEncoding() as debezium:
            return [["debezium", *_of_change(debezium, field)] for field in fields]


def _of_key(contract: StreamContract, field: ReadField) -> list[Any]:
    match contract.key_encoding:
        case JsonEncoding():
            # A key that is a list gives its fields by their places; a table's signature has their order.
            index = contract.key.index(field.name)
            return ["json", index] if index and contract.kind == "stream" else []
        case AvroEncoding() as avro:
            return ["avro", member_meaning(avro, str(field.path[0]))]
        case TextEncoding():
            return ["text"]


def _of_change(encoding: DebeziumEncoding, field: ReadField) -> list[Any]:
    counted = [encoding.time_unit] if holds(field.type, lambda leaf: leaf == TIMESTAMP) else []
    if isinstance(encoding.inner, AvroEncoding):
        return ["avro", column_meaning(encoding.inner, str(field.path[0])), *counted]
    return counted
