"""table_join in Spark (`docs/semantics/table-join.md`): the stream's rows and the table's entries meet by key
in an operator of the JVM.

Spark can't join a stream with a changing table. The operator sees each row as its time and opaque bytes; keys
are compared as packed rows, in which a null is no value of a table's key.
"""

from typing import Final

from pyspark.sql import DataFrame

from jobs.base.types import DataType
from jobs.engine.columns import column, quoted
from jobs.engine.keyed_state import KEY, keep_state, packed, packed_row, unpacked
from jobs.engine.operators.broadcast_join import join_broadcast
from jobs.engine.rows import DELETED, TIME, WATERMARK_COLUMN, Rows
from jobs.expressions.spark_types import schema_sql
from jobs.operators.relation import Relation
from jobs.operators.table_join_bound import TableJoinBound

_NEVER: Final = f"{2**62}L"  # after every instant: entries of a table are never late


def lower(step: str, bound: TableJoinBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """Every row of the stream once, or not at all where an inner join has no match; system columns are kept.
    With a broadcast table a row comes once per match.
    """
    rows, table = inputs
    if bound.broadcast is not None:
        return join_broadcast(step, bound, bound.broadcast, rows, table, output)
    shift = rows.relation.not_applied(bound.slack).us
    inner = bound.type == "inner"
    tagged = _rows(rows, bound, shift).unionByName(_entries(table, bound))
    if bound.version == "as_of":
        tagged = tagged.withColumn(
            "_closing", column("_closing").alias("_closing", metadata=WATERMARK_COLUMN)
        )
        looked_up = keep_state(tagged, "AsOfJoin", inner, shift, bound.retention.us, by_time=True)
    else:
        tagged = tagged.drop("_closing")
        by_event_time = bound.newest_by == "event_time"
        looked_up = keep_state(tagged, "CurrentJoin", inner, by_event_time, by_time=False)
    return _joined(looked_up, rows, table, bound, output)


def _rows(rows: Rows, bound: TableJoinBound, shift: int) -> DataFrame:
    keys = packed([_part(pair.left, pair.type) for pair in bound.on])
    return rows.frame.select(
        column(keys, KEY),
        column("false", "_entry"),
        column(f"unix_micros({TIME})", "_at"),
        column("0", "_partition"),
        column("0L", "_offset"),
        packed_row(rows.frame, "_whole"),
        column(f"unix_micros({TIME}) + {shift}L", "_closing"),
    )


def _entries(table: Rows, bound: TableJoinBound) -> DataFrame:
    keys = packed([_part(pair.right, pair.type) for pair in bound.on])
    whole = packed([quoted(name) for name in table.relation.schema.names])
    return table.frame.select(
        column(keys, KEY),
        column("true", "_entry"),
        column(f"unix_micros({TIME})", "_at"),
        column("_partition"),
        column("_offset"),
        column(f"if({quoted(DELETED)}, NULL, {whole})", "_whole"),
        column(_NEVER, "_closing"),
    )


def _part(name: str, data_type: DataType) -> str:
    return f"cast({quoted(name)} AS {schema_sql(data_type)})"


def _joined(looked_up: DataFrame, rows: Rows, table: Rows, bound: TableJoinBound, output: Relation) -> Rows:
    fields = table.frame.select(*(column(quoted(name)) for name in table.relation.schema.names)).schema
    parsed = looked_up.select(
        column(unpacked(rows.frame.schema.json(), "_row"), "_r"),
        column(unpacked(fields.json(), "_entry"), "_t"),
    )
    own, system = rows.from_struct("_r")
    names = dict(bound.names)
    added = [column(f"_t.{quoted(name)}", names[name]) for name in table.relation.schema.names]
    return Rows(parsed.select(*own, *added, *system), output, rows.system)
