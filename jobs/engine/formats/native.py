"""Values that the JVM decodes in one pass, from Kafka's bytes to columns and status
(`jvm/src/weir/decode`): the decoders of `jobs.formats` once more, held to the same tables.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.connections import jvm_options
from jobs.engine.columns import column, quoted
from jobs.engine.formats.decode_columns import (
    BODY,
    DELETED,
    SKIPPED,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
)
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.formats.contract import StreamContract
from jobs.formats.csv_records import csv_columns
from jobs.formats.decoding import value_fields
from jobs.formats.event_time_sql import CHANGE_MS
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    Encoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.record_key import key_fields
from jobs.formats.source_paths import ReadField
from jobs.kafka_messages import SCHEMAS_TOPIC, schema_key

_RECORD: Final = "_record"


def read_values(
    frame: DataFrame,
    contract: StreamContract,
    fields: tuple[ReadField, ...],
    used: tuple[str, ...],
    writers: WriterSchemas | None,
) -> DataFrame:
    """The fields of values.

    Args:
        frame: with `BODY`: whole values, however long; null for none.
        contract: of which `jobs.formats.realtime.needs_python` is false.
        fields: that the value holds.
        used: those to decode; the others come out as null.
        writers: where schemas are found whose ids the contract does not name; None: nowhere.

    Returns:
        The other columns of the frame, the fields, `VALUE_STATUS`, and of change events `CHANGE_MS`. Where
        there is a status, the fields are null.
    """
    read = [field for field in fields if field.name in used]
    decoded = (
        column(decoder_sql(BODY, contract, read))
        if writers is None or not _is_framed_avro(contract.encoding)
        else _with_writers(frame, contract, read, writers)
    )
    kept = map(column, kept_columns(frame.columns, BODY))
    records = frame.select(*kept, decoded.alias(_RECORD))
    values = [column(f"{_RECORD}.{quoted(f.name)}" if f in read else unused_sql(f), f.name) for f in fields]
    changed = [column(f"{_RECORD}.{CHANGE_MS}")] if isinstance(contract.encoding, DebeziumEncoding) else []
    kept = map(column, kept_columns(records.columns, _RECORD))
    return records.select(*kept, *values, column(f"{_RECORD}.{VALUE_STATUS}"), *changed)


def decoder_sql(value: str, contract: StreamContract, fields: Sequence[ReadField]) -> str:
    """A struct of these fields, `VALUE_STATUS` and `CHANGE_MS`, from a value: an SQL text for BINARY."""
    return f"{_decoder(contract)[0]}({value}, {string_sql(decoder_spec(contract, fields))})"


def key_decoder_sql(key: str, contract: StreamContract) -> str:
    """A struct of the key fields and `VALUE_STATUS` from a key: an SQL text for BINARY.

    Args:
        key: whole, however long; null for none.
        contract: of a stream or table whose keys are JSON or text.
    """
    is_framed = contract.key_encoding.format == "json" and contract.key_encoding.framing == "confluent"
    fields = [
        {"name": f.name, "type": schema_sql(f.type), "path": list(f.path)} for f in key_fields(contract)
    ]
    nothing = "KEY_NULL" if contract.kind == "table" else None
    spec = json.dumps({"nothing": nothing, "framed": is_framed, "fields": fields}, sort_keys=True)
    return f"weir_decode_{contract.key_encoding.format}_key({key}, {string_sql(spec)})"


def decoder_spec(contract: StreamContract, fields: Sequence[ReadField]) -> str:
    """What `weir.decode.Spec` reads: where the decoder finds these fields, and how."""
    read = [{"name": f.name, "type": schema_sql(f.type), "path": _path(f, contract)} for f in fields]
    return json.dumps({**_decoder(contract)[1], "fields": read}, sort_keys=True)


def _with_writers(
    frame: DataFrame, contract: StreamContract, fields: Sequence[ReadField], writers: WriterSchemas
) -> Column:
    """The same of `BODY`, with schemas looked up among `writers`. That is an object, because the text of a
    plan must not hold what it takes to read them.
    """
    java: Any = frame.sparkSession._jvm
    consumer = {name.removeprefix("kafka."): value for name, value in jvm_options(writers.home).items()}
    topic = java.weir.decode.WriterTopic(consumer, SCHEMAS_TOPIC, schema_key(writers.workspace, 0)[:-1])
    function, spec = _decoder(contract)[0], decoder_spec(contract, fields)
    made = java.weir.decode.DecodeFunctions.withWriters(F.col(BODY)._jc, function, spec, topic)
    return Column(made)


def _is_framed_avro(encoding: Encoding) -> bool:
    """True where each record names the schema that wrote it."""
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    return isinstance(inner, AvroEncoding) and inner.framing == "confluent"


def _path(field: ReadField, contract: StreamContract) -> list[str | int]:
    """Where a decoder finds a field: of CSV the column's index."""
    if isinstance(contract.encoding, CsvEncoding):
        return [csv_columns(contract.encoding, value_fields(contract)).index(str(field.path[0]))]
    return list(field.path)


def _decoder(contract: StreamContract) -> tuple[str, dict[str, Any]]:
    """The function that decodes, and its options."""
    is_table = contract.kind == "table"
    nothing = {"nothing": DELETED if is_table else "VALUE_NULL"}
    match contract.encoding:
        case JsonEncoding() as json_encoding:
            return "weir_decode_json", {**nothing, **_written(json_encoding)}
        case CsvEncoding() as csv:
            columns = csv_columns(csv, value_fields(contract))
            signs = {"delimiter": csv.delimiter, "quote": csv.quote, "null": csv.null_text, "trim": csv.trim}
            return "weir_decode_csv", {**nothing, **signs, "columns": len(columns)}
        case TextEncoding():
            return "weir_decode_text", nothing
        case AvroEncoding() as avro:
            return "weir_decode_avro", {**nothing, **_written(avro)}
        case DebeziumEncoding() as debezium:
            deletion = DELETED if is_table else SKIPPED
            is_avro = isinstance(debezium.inner, AvroEncoding)
            return "weir_decode_avro_change" if is_avro else "weir_decode_json_change", {
                **_written(debezium.inner),
                "nothing": deletion,
                "deletion": deletion,
                "unit": debezium.time_unit,
            }


def _written(encoding: JsonEncoding | AvroEncoding) -> dict[str, Any]:
    """How an object or record is written."""
    framed = {"framed": encoding.framing == "confluent"}
    if isinstance(encoding, AvroEncoding):
        return {**framed, "reader": encoding.avro_schema, "writers": encoding.writers}
    return framed
