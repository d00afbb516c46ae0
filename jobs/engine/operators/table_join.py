"""table_join in Spark (`docs/semantics/table-join.md`): the stream's rows and the table's entries meet by key
in an operator of the JVM.

Spark can't join a stream with a changing table. The operator sees each row as its time and opaque bytes; keys
are compared as packed rows, in which a null is no value of a table's key.
"""

from typing import Final

from pyspark.sql import DataFrame

from jobs.base.types import DataType
from jobs.engine.columns import column, quoted
from jobs.engine.keyed_state import (
    declared_from,
    keep_state,
    key_column,
    partnerless_key_column,
    stored_fields,
    stored_rows,
    system_from,
)
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
    # Positions are those of entries: what is null is not boxed for each row.
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
    whole = stored_rows(rows).packed
    return rows.frame.select(
        partnerless_key_column([_part(pair.left, pair.type) for pair in bound.on], whole),
        column("false", "_entry"),
        column(f"unix_micros({TIME})" if bound.version == "as_of" else "cast(NULL AS BIGINT)", "_at"),
        column("cast(NULL AS INT)", "_partition"),
        column("cast(NULL AS BIGINT)", "_offset"),
        column(whole, "_whole"),
        column(f"unix_micros({TIME}) + {shift}L", "_closing"),
    )


def _entries(table: Rows, bound: TableJoinBound) -> DataFrame:
    return table.frame.select(
        key_column([_part(pair.right, pair.type) for pair in bound.on]),
        column("true", "_entry"),
        column(f"unix_micros({TIME})", "_at"),
        column("_partition"),
        column("_offset"),
        column(f"if({quoted(DELETED)}, NULL, {stored_fields(table).packed})", "_whole"),
        column(_NEVER, "_closing"),
    )


def _part(name: str, data_type: DataType) -> str:
    return f"cast({quoted(name)} AS {schema_sql(data_type)})"


def _joined(looked_up: DataFrame, rows: Rows, table: Rows, bound: TableJoinBound, output: Relation) -> Rows:
    parsed = looked_up.select(stored_rows(rows).unpacked("_row"), stored_fields(table).unpacked("_entry"))
    own, added = declared_from(rows, "_row"), declared_from(table, "_entry", dict(bound.names))
    return Rows(parsed.select(*own, *added, *system_from(rows, "_row")), output, rows.system)


def state_operators(bound: TableJoinBound) -> tuple[str, ...]:
    """Spark's names of the step's stateful operators."""
    return ("transformWithStateExec",) if bound.broadcast is None else ()
