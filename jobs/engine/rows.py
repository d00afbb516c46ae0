"""Rows between two nodes inside Spark: declared columns, and system columns of the engine."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from pyspark.sql import Column, DataFrame

from jobs.base.names import SYSTEM_FIELDS
from jobs.base.types import TIMESTAMP as TIMESTAMP_TYPE
from jobs.base.types import DataType
from jobs.engine.columns import column, quoted
from jobs.engine.observation import Metrics, observed
from jobs.operators.relation import Relation

TIME: Final = "_time"
TIMESTAMP: Final = "_timestamp"
# After a join: the identities of the left and right rows as structs, null for a missing side.
LEFT_ID: Final = "_left_id"
RIGHT_ID: Final = "_right_id"
# After a union whose inputs may collide: the name of the row's input, and a struct per input with the row's
# identity there, null for other inputs.
UNION_ID: Final = "_union_id"
# Metadata of the watermarked column; the source has applied the delay.
WATERMARK_COLUMN: Final = {"spark.watermarkDelayMs": 0}
# Removes that metadata: aliases inherit it, and Spark allows only one such column.
NO_WATERMARK: Final = {"weir.time": True}
PRESENT: Final = "_present"  # in a packed row: no upstream step filtered the row out
PACKED: Final = "_packed"  # in a packed row: the rows of all steps so far
DELETED: Final = "_deleted"  # in a changelog: true where the row is a tombstone


@dataclass(frozen=True)
class Rows:
    """The rows that a node gives.

    Attributes:
        base: its columns are the relation's fields, then `system`.
        relation: the checked relation of the same rows.
        system: names of the engine's own columns, in order: time, identity, freshness.
        aggregated: the input of the aggregate whose results these are, from which `change` computes measures
            again; None for other rows.
        read: the declared fields that the step reads whose input these are; None: all of them.
        observed: what is observed of these rows.
    """

    base: DataFrame
    relation: Relation
    system: tuple[str, ...]
    aggregated: "Rows | None" = None
    read: frozenset[str] | None = None
    observed: tuple[Metrics, ...] = ()

    @cached_property
    def frame(self) -> DataFrame:
        """The rows as they are observed; what is computed from them begins here."""
        return observed(self.base, self.observed)

    def project(
        self, relation: Relation, columns: list[Column], system: tuple[str, ...] | None = None
    ) -> "Rows":
        """The same rows with these declared columns, and these system columns (None: all)."""
        kept = self.system if system is None else system
        return Rows(self.frame.select(*columns, *(column(quoted(name)) for name in kept)), relation, kept)

    def with_frame(self, frame: DataFrame) -> "Rows":
        """Rows made from these, of the same relation and with these system columns."""
        return replace(self, base=frame, observed=())

    def observe(self, name: str, columns: Mapping[str, str]) -> "Rows":
        """The same rows with more metrics, which `Metrics` describes."""
        return replace(self, observed=(*self.observed, Metrics(name, columns)))


def field_column(sql: str, name: str, data_type: DataType) -> Column:
    """A declared field that an expression gives, never the watermarked column.

    Spark's optimizer reduces many an expression to the event time itself, a cast to the same type for
    example; an alias would then inherit its mark, and a stateful step refuses rows with two such columns.
    """
    return (
        column(sql).alias(name, metadata=NO_WATERMARK) if data_type == TIMESTAMP_TYPE else column(sql, name)
    )


def unmarked(expressions: Mapping[str, str]) -> list[Column]:
    """Columns by name, of which any may be the event time, as the key of a join: its mark does not go on."""
    return [column(sql).alias(name, metadata=NO_WATERMARK) for name, sql in expressions.items()]


def row_identity(relation: Relation) -> tuple[str, ...]:
    """System columns of a row's identity, in order (`docs/semantics/identity-and-results.md#identity`)."""
    indexes = tuple(f"_index{i}" for i in range(relation.index_depth))
    if relation.identity_kind == "key":
        return (*(f"_id{i}" for i in range(len(relation.identity))), *indexes)
    if relation.identity_kind == "pair":
        return (LEFT_ID, RIGHT_ID, *indexes)
    if relation.identity_kind == "union":
        return (UNION_ID, *indexes)
    return (*SYSTEM_FIELDS[2:], *indexes)


def row_order(relation: Relation) -> tuple[str, ...]:
    """System columns that define row order (`docs/semantics/identity-and-results.md#row-order`)."""
    return (TIME, *row_identity(relation))
