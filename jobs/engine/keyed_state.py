"""Calls the operators that keep their state in the JVM: the classes of `jvm/src/weir/state`.

Rows go through them as opaque bytes, beside the few columns that an operator needs to know (`jvm/README.md`
says how to add one).
"""

from typing import Any

from pyspark.sql import Column, DataFrame

from jobs.engine.columns import column, quoted, text_literal

KEY = "_key"
"""The column by which rows meet: a packed row of the key fields. Null equals null there."""


def packed(columns: list[str]) -> str:
    """Spark SQL of these columns, or other Spark SQL, as bytes; never null."""
    return f"weir_pack({', '.join(columns)})"


def packed_row(frame: DataFrame, name: str) -> Column:
    """All columns of a frame as bytes."""
    return column(packed([quoted(each) for each in frame.columns]), name)


def unpacked(schema_json: str, name: str) -> str:
    """Spark SQL of the struct that a column of bytes holds; null of null.

    Args:
        schema_json: schema of the columns that were packed, as Spark's JSON.
        name: of the column.
    """
    return f"weir_unpack({quoted(name)}, {text_literal(schema_json)})"


def keep_state(
    rows: DataFrame, operator: str, *arguments: Any, by_time: bool, updates: bool = False
) -> DataFrame:
    """The rows that an operator makes of these.

    Args:
        rows: with the columns ``_key`` and those that the operator reads.
        operator: its class.
        arguments: of its constructor.
        by_time: its timers follow the watermark of the column with watermark metadata.
        updates: a later row may replace an earlier one.
    """
    jvm: Any = rows.sparkSession.sparkContext._jvm
    made = getattr(jvm.weir.state, operator)(*arguments)
    return DataFrame(made.over(rows._jdf, by_time, updates), rows.sparkSession)
