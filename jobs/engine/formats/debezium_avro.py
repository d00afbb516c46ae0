"""Change events of Debezium in Avro envelopes, in Spark:
the decoder of `jobs.formats.debezium_records` itself.
"""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.formats.arrow_udf import decode_udf
from jobs.engine.formats.decode_columns import (
    BODY,
    DELETED,
    PRE_STATUS,
    SKIPPED,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
)
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.formats.avro_records import SchemaOf
from jobs.formats.debezium_records import read_change
from jobs.formats.event_time_sql import CHANGE_MS
from jobs.formats.record_formats import DebeziumEncoding
from jobs.formats.records import Malformed, Skipped
from jobs.formats.source_paths import ReadField


def read_avro_changes(
    frame: DataFrame,
    encoding: DebeziumEncoding,
    fields: tuple[ReadField, ...],
    used: tuple[str, ...],
    writers: WriterSchemas | None,
    *,
    is_table: bool,
) -> DataFrame:
    """The rows after changes; parameters and result as of
    `jobs.engine.formats.debezium_records.read_changes`.

    The body is the whole value, with its frame. Ids that the encoding does not name are looked up among
    `writers`.
    """
    parsed = tuple(field for field in fields if field.name in used)
    deletion = DELETED if is_table else SKIPPED

    def decode(body: bytes, schema_of: SchemaOf | None) -> dict[str, Any] | Malformed:
        found = read_change(body, encoding, parsed, schema_of)
        if isinstance(found, Malformed):
            return found
        if isinstance(found, Skipped):
            return {VALUE_STATUS: SKIPPED}
        return {**found.values, VALUE_STATUS: deletion if found.deleted else None, CHANGE_MS: found.at_ms}

    read = frame.select("*", decode_udf(decode, parsed, writers)(F.col(BODY)).alias("_change"))
    values = [column(f"_change.{quoted(f.name)}" if f in parsed else unused_sql(f), f.name) for f in fields]
    status = column(f"coalesce({PRE_STATUS}, _change.{VALUE_STATUS})", VALUE_STATUS)
    kept = map(column, kept_columns(frame.columns, BODY, PRE_STATUS))
    return read.select(*kept, *values, status, column(f"_change.{CHANGE_MS}", CHANGE_MS))
