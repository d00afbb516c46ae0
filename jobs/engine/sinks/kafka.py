"""Result rows as Kafka records: key: the identity; value: the row as JSON or Avro; headers: epoch and
freshness.

See `docs/semantics/records-and-formats.md#output-records`.
"""

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.types import Array, DataType, Decimal, Map, Struct, holds
from jobs.engine.columns import column, quoted
from jobs.engine.identity import identity_bytes
from jobs.engine.rows import DELETED, TIMESTAMP, Rows
from jobs.engine.sinks.avro import row_avro
from jobs.expressions.texts_sql import INSTANT_PATTERN, string_sql
from jobs.formats.written_names import NO_NAMES, WrittenPath
from jobs.formats.written_names_sql import written_object_sql
from jobs.kafka_messages import HEADER_EPOCH, HEADER_NEWEST_INPUT, HEADER_PARTIAL, AvroTarget
from jobs.operators.relation import Relation

_JSON_OPTIONS: Final = (
    f"""map('ignoreNullFields', 'false', 'timestampFormat', "{INSTANT_PATTERN}", """
    "'dateFormat', 'yyyy-MM-dd')"
)


def result_records(rows: Rows, epoch: int, partial_before_us: int | None) -> DataFrame:
    """The records of these rows; arguments as of `record_columns`."""
    return rows.frame.select(*record_columns(rows, epoch, partial_before_us))


def record_columns(
    rows: Rows,
    epoch: int,
    partial_before_us: int | None,
    avro: AvroTarget | None = None,
    names: Mapping[str, WrittenPath] = NO_NAMES,
) -> list[Column]:
    """Columns key, value and headers of a record of the results' topic.

    Args:
        rows: what flows into the output.
        epoch: of the run; readers drop lower ones.
        partial_before_us: windows that start before this event time lack rows; None: none does.
        avro: how values are written in Avro; None: as JSON.
        names: where in a record fields are written, of those that are not written as a member of their own
            name.
    """
    value = (
        column(written_json_sql(rows.relation, names))
        if avro is None
        else row_avro(rows.relation, avro, names)
    )
    if DELETED in rows.system:
        value = F.when(column(quoted(DELETED)), F.lit(None)).otherwise(value)
    return [
        column(identity_bytes(rows), "key"),
        value.alias("value"),
        column(_headers_sql(rows, epoch, partial_before_us), "headers"),
    ]


def written_json_sql(relation: Relation, names: Mapping[str, WrittenPath] = NO_NAMES) -> str:
    """The text of `row_json_sql` in UTF-8, which a class of the JVM writes at once."""
    return f"weir_json({written_object_sql(relation.schema, names, _json_value)})"


def row_json_sql(relation: Relation, names: Mapping[str, WrittenPath] = NO_NAMES) -> str:
    """Every declared field as one JSON object, nulls included, in Spark's own functions; `names` as of
    `record_columns`.
    """
    return f"to_json({written_object_sql(relation.schema, names, _json_value)}, {_JSON_OPTIONS})"


def _json_value(sql: str, data_type: DataType, depth: int = 0) -> str:
    """Decimals as text at any depth; the writer itself does the rest."""
    if not holds(data_type, lambda leaf: isinstance(leaf, Decimal)):
        return sql
    item = f"x{depth}"
    match data_type:
        case Decimal():
            return f"cast({sql} AS STRING)"
        case Array(element):
            return f"transform({sql}, {item} -> {_json_value(item, element, depth + 1)})"
        case Map(value):
            return f"transform_values({sql}, (k{depth}, {item}) -> {_json_value(item, value, depth + 1)})"
        case Struct(members):
            parts = ", ".join(
                f"{string_sql(m.name)}, {_json_value(f'{sql}.{quoted(m.name)}', m.type, depth)}"
                for m in members
            )
            return f"if({sql} IS NULL, NULL, named_struct({parts}))"
        case _:
            return sql


def _headers_sql(rows: Rows, epoch: int, partial_before_us: int | None) -> str:
    newest = f"cast(unix_micros({quoted(TIMESTAMP)}) AS STRING)"
    always = f"array({_header(HEADER_EPOCH, string_sql(str(epoch)))}, {_header(HEADER_NEWEST_INPUT, newest)})"
    if partial_before_us is None or not rows.relation.windowed:
        return always
    partial = f"array({_header(HEADER_PARTIAL, string_sql('1'))})"
    return f"if(unix_micros(`_id0`) < {partial_before_us}L, concat({always}, {partial}), {always})"


def _header(name: str, text_sql: str) -> str:
    return f"named_struct('key', {string_sql(name)}, 'value', cast({text_sql} AS BINARY))"
