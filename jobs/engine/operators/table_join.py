"""table_join in Spark (`docs/semantics/table-join.md`): transformWithState joins the stream's rows with the
table's entries, by key.

Spark can't join a stream with a changing table. Python workers see each row as its time and an opaque text;
keys are compared as identity texts, so that a null never equals a table's key.
"""

from typing import Final

from pyspark import cloudpickle
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from jobs.base.types import DataType
from jobs.engine.columns import column, quoted
from jobs.engine.operators import table_processor
from jobs.engine.operators.broadcast_join import join_broadcast
from jobs.engine.row_json import json_of_row, row_from_json
from jobs.engine.rows import DELETED, TIME, WATERMARK_COLUMN, Rows
from jobs.expressions.spark_types import schema_sql
from jobs.operators.identity_sql import identity_sql
from jobs.operators.relation import Relation
from jobs.operators.table_join_bound import TableJoinBound

_ENTRY: Final = 0
_ROW: Final = 1
_NEVER: Final = f"{2**62}L"  # after every instant: entries of a table are never late

cloudpickle.register_pickle_by_value(table_processor)  # type: ignore[no-untyped-call]


def lower(step: str, bound: TableJoinBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """Every row of the stream once, or not at all where an inner join has no match; system columns are kept.
    With a broadcast table a row comes once per match.
    """
    rows, table = inputs
    if bound.broadcast is not None:
        return join_broadcast(step, bound, bound.broadcast, rows, table, output)
    shift = rows.relation.not_applied(bound.slack).us
    as_of = bound.version == "as_of"
    tagged = _rows(rows, bound, shift).unionByName(_entries(table, bound))
    if as_of:
        tagged = tagged.withColumn(
            "_closing", column("_closing").alias("_closing", metadata=WATERMARK_COLUMN)
        )
        processor: StatefulProcessor = table_processor.AsOfProcessor(
            bound.type == "inner", shift, bound.retention.us
        )
    else:
        tagged = tagged.drop("_closing")
        processor = table_processor.CurrentProcessor(bound.type == "inner", bound.newest_by == "event_time")
    time_mode = "eventTime" if as_of else "none"
    looked_up = tagged.groupBy("_key").transformWithStateInPandas(
        processor, table_processor.OUTPUT, "Append", time_mode
    )
    return _joined(looked_up, rows, table, bound, output)


def _rows(rows: Rows, bound: TableJoinBound, shift: int) -> DataFrame:
    keys = identity_sql([_part(pair.left, pair.type) for pair in bound.on])
    return rows.frame.select(
        column(keys, "_key"),
        column(f"{_ROW}", "_side"),
        column(f"unix_micros({TIME})", "_at"),
        column("0", "_partition"),
        column("0L", "_offset"),
        json_of_row(rows.frame.columns).alias("_text"),
        # A number instead of a timestamp: pandas timestamps end in the year 2262. Spark compares numbers with
        # the watermark, too.
        column(f"unix_micros({TIME}) + {shift}L", "_closing"),
    )


def _entries(table: Rows, bound: TableJoinBound) -> DataFrame:
    keys = identity_sql([_part(pair.right, pair.type) for pair in bound.on])
    declared = list(table.relation.schema.names)
    return table.frame.select(
        column(keys, "_key"),
        column(f"{_ENTRY}", "_side"),
        column(f"unix_micros({TIME})", "_at"),
        column("_partition"),
        column("_offset"),
        column(f"NOT {quoted(DELETED)}", "_there"),
        json_of_row(declared).alias("_whole"),
    ).select(
        "_key",
        "_side",
        "_at",
        "_partition",
        "_offset",
        column("if(_there, _whole, NULL)", "_text"),
        column(_NEVER, "_closing"),
    )


def _part(name: str, data_type: DataType) -> tuple[str, DataType]:
    return f"cast({quoted(name)} AS {schema_sql(data_type)})", data_type


def _joined(looked_up: DataFrame, rows: Rows, table: Rows, bound: TableJoinBound, output: Relation) -> Rows:
    fields = table.frame.select(*(column(quoted(name)) for name in table.relation.schema.names)).schema
    parsed = looked_up.select(
        row_from_json(rows.frame.schema, "_row").alias("_r"), row_from_json(fields, "_entry").alias("_t")
    )
    own, system = rows.from_struct("_r")
    names = dict(bound.names)
    added = [column(f"_t.{quoted(name)}", names[name]) for name in table.relation.schema.names]
    return Rows(parsed.select(*own, *added, *system), output, rows.system)
