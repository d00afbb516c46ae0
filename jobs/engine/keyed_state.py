"""Calls the operators that keep their state in the JVM: the classes of `jvm/src/weir/state`.

Rows go through them as opaque bytes, beside the few columns that an operator needs to know (`jvm/README.md`
says how to add one).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import Column, DataFrame

from jobs.engine.columns import column, quoted
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import string_sql

_SPREAD: Final = 1_024  # keys of rows without one: few enough to keep, many enough that each has few rows


def packed(columns: Mapping[str, str]) -> str:
    """Spark SQL of these columns (name → Spark SQL) as bytes; never null. Rows of other names or types are
    other bytes.
    """
    return f"weir_pack({_struct(columns)})"


def _struct(columns: Mapping[str, str]) -> str:
    return f"named_struct({', '.join(f'{string_sql(name)}, {sql}' for name, sql in columns.items())})"


def key_column(parts: list[str]) -> Column:
    """The column by which rows meet, of the Spark SQL of the key's parts. Null equals null there."""
    return column(f"weir_key({_struct({f'_{at}': sql for at, sql in enumerate(parts)})})", "_key")


def partnerless_key_column(parts: list[str], spread_by: str) -> Column:
    """As `key_column`, for rows that can meet nobody where a part is null: these get one of many keys, which
    no complete one equals. All under one key would be gathered in memory, however many they are.

    Args:
        parts: as there.
        spread_by: Spark SQL of what tells such rows apart.
    """
    names = {f"_{at}": sql for at, sql in enumerate(parts)}
    lacks = " OR ".join(f"{sql} IS NULL" for sql in parts)
    spread = {**names, "_spread": f"pmod(hash({spread_by}), {_SPREAD})"}
    return column(f"if({lacks}, weir_key({_struct(spread)}), weir_key({_struct(names)}))", "_key")


def keep_state(
    rows: DataFrame, operator: str, *arguments: Any, by_time: bool, updates: bool = False
) -> DataFrame:
    """The rows that an operator makes of these.

    Args:
        rows: first the `key_column`, then the columns that the operator reads, in its order.
        operator: its class.
        arguments: of its constructor.
        by_time: its timers follow the watermark of the column with watermark metadata.
        updates: a later row may replace an earlier one.
    """
    jvm: Any = rows.sparkSession.sparkContext._jvm
    made = getattr(jvm.weir.state, operator)(*arguments)
    return DataFrame(made.over(rows._jdf, by_time, updates), rows.sparkSession)


def keep_late_rows(rows: DataFrame, shares: DataFrame) -> DataFrame:
    """The late ones of these rows: ``_row``, and ``_late_watermark`` in µs.

    Args:
        rows: ``_share``, ``_closes_at`` (µs), the row as bytes, and the watermarked column.
        shares: every ``_share`` once.
    """
    jvm: Any = rows.sparkSession.sparkContext._jvm
    return DataFrame(jvm.weir.state.LateRows().over(rows._jdf, shares._jdf), rows.sparkSession)


@dataclass(frozen=True, slots=True)
class Stored:
    """Columns of a frame as an operator keeps them: as bytes that only the same columns are read from again.

    Attributes:
        frame: with the columns.
        names: of the columns, in order.
    """

    frame: DataFrame
    names: tuple[str, ...]

    @property
    def packed(self) -> str:
        """Spark SQL of the bytes, over the frame."""
        return packed({name: quoted(name) for name in self.names})

    @property
    def schema(self) -> str:
        """The columns' schema, as Spark's JSON."""
        return str(self.frame.select(*map(quoted, self.names)).schema.json())

    def unpacked(self, name: str) -> Column:
        """The struct of a column of bytes, null of null, under the column's name."""
        return column(f"weir_unpack({quoted(name)}, {string_sql(self.schema)})", name)


def stored_rows(rows: Rows, frame: DataFrame | None = None) -> Stored:
    """Whole rows: the declared fields that are read, by name, so that their order does not matter; then the
    other columns.

    Args:
        rows: what is stored.
        frame: the same with more columns; None: that of the rows.
    """
    declared = rows.relation.schema.names
    of = rows.frame if frame is None else frame
    more = (name for name in of.columns if name not in declared)
    return Stored(of, (*fields_read(rows), *more))


def stored_fields(rows: Rows) -> Stored:
    """The declared fields that are read, by name."""
    return Stored(rows.frame, fields_read(rows))


def fields_read(rows: Rows) -> tuple[str, ...]:
    """The declared fields that are read, by name."""
    return tuple(
        sorted(name for name in rows.relation.schema.names if rows.read is None or name in rows.read)
    )


def declared_from(rows: Rows, struct: str, renamed: Mapping[str, str] | None = None) -> list[Column]:
    """The declared columns, out of a struct that was stored; those that nothing reads are null.

    Args:
        rows: what was stored.
        struct: the column.
        renamed: new names by field.
    """
    read = fields_read(rows)
    return [
        column(
            f"{struct}.{quoted(field.name)}"
            if field.name in read
            else f"cast(NULL AS {schema_sql(field.type)})",
            (renamed or {}).get(field.name, field.name),
        )
        for field in rows.relation.schema
    ]


def system_from(rows: Rows, struct: str) -> list[Column]:
    """The system columns, out of a struct that was stored, with the time marked as the watermarked one."""
    return [
        column(f"{struct}.{quoted(name)}").alias(name, metadata=WATERMARK_COLUMN if name == TIME else {})
        for name in rows.system
    ]
