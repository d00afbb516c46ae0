"""Values that the JVM decodes in one pass, from Kafka's bytes to columns and verdict
(`jvm/src/weir/decode`): the decoders of `jobs.formats` once more, held to the same tables.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import DataFrame

from jobs.engine.columns import column, quoted
from jobs.engine.formats.decode_columns import (
    BODY,
    DELETED,
    SKIPPED,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
)
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.formats.contract import StreamContract
from jobs.formats.csv_records import csv_columns
from jobs.formats.decoding import value_fields
from jobs.formats.event_time_sql import CHANGE_MS
from jobs.formats.realtime import needs_python
from jobs.formats.record_formats import CsvEncoding, DebeziumEncoding, JsonEncoding, TextEncoding
from jobs.formats.source_paths import ReadField

_RECORD: Final = "_record"


def is_native(contract: StreamContract) -> bool:
    """True when the JVM decodes the values of a contract."""
    return not needs_python(contract)


def read_values(
    frame: DataFrame, contract: StreamContract, fields: tuple[ReadField, ...], used: tuple[str, ...]
) -> DataFrame:
    """The fields of values.

    Args:
        frame: with `BODY`: whole values, however long; null for none.
        contract: of which `is_native` is true.
        fields: that the value holds.
        used: those to decode; the others come out as null.

    Returns:
        The other columns of the frame, the fields, `VALUE_STATUS`, and of change events `CHANGE_MS`. Where
        there is a status, the fields are null.
    """
    read = [field for field in fields if field.name in used]
    decoded = column(decoder_sql(BODY, contract, read), _RECORD)
    records = frame.select(*map(column, kept_columns(frame.columns, BODY)), decoded)
    values = [column(f"{_RECORD}.{quoted(f.name)}" if f in read else unused_sql(f), f.name) for f in fields]
    changed = [column(f"{_RECORD}.{CHANGE_MS}")] if isinstance(contract.encoding, DebeziumEncoding) else []
    kept = map(column, kept_columns(records.columns, _RECORD))
    return records.select(*kept, *values, column(f"{_RECORD}.{VALUE_STATUS}"), *changed)


def decoder_sql(value: str, contract: StreamContract, fields: Sequence[ReadField]) -> str:
    """A struct of these fields, `VALUE_STATUS` and `CHANGE_MS`, from a value: an SQL text for BINARY."""
    function, options = _decoder(contract)
    read = [{"name": f.name, "type": schema_sql(f.type), "path": _path(f, contract)} for f in fields]
    # What `weir.decode.Spec` reads.
    specification = json.dumps({**options, "fields": read}, sort_keys=True)
    return f"{function}({value}, {string_sql(specification)})"


def _path(field: ReadField, contract: StreamContract) -> list[str | int]:
    """Where a decoder finds a field: of CSV the column's index."""
    if isinstance(contract.encoding, CsvEncoding):
        return [csv_columns(contract.encoding, value_fields(contract)).index(str(field.path[0]))]
    return list(field.path)


def _decoder(contract: StreamContract) -> tuple[str, dict[str, Any]]:
    """The function that decodes, and its options."""
    is_table = contract.kind == "table"
    match contract.encoding:
        case JsonEncoding(framing=framing):
            nothing = DELETED if is_table else "VALUE_NULL"
            return "weir_decode_json", {"framed": framing == "confluent", "nothing": nothing}
        case DebeziumEncoding(inner=JsonEncoding(framing=framing)) as debezium:
            deletion = DELETED if is_table else SKIPPED
            return "weir_decode_json_change", {
                "framed": framing == "confluent",
                "nothing": deletion,
                "deletion": deletion,
                "unit": debezium.time_unit,
            }
        case CsvEncoding() as csv:
            return "weir_decode_csv", {
                "nothing": DELETED if is_table else "VALUE_NULL",
                "delimiter": csv.delimiter,
                "quote": csv.quote,
                "null": csv.null_text,
                "trim": csv.trim,
                "columns": len(csv_columns(csv, value_fields(contract))),
            }
        case TextEncoding():
            return "weir_decode_text", {"nothing": DELETED if is_table else "VALUE_NULL"}
        case encoding:
            raise TypeError(f"{encoding.format} isn't decoded by the JVM")
