"""Rows between two nodes inside Spark: declared columns, and the engine's own beside them."""

from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import Column, DataFrame

from jobs.base.names import SYSTEM_FIELDS
from jobs.base.types import TIMESTAMP as TIMESTAMP_TYPE
from jobs.base.types import DataType
from jobs.engine.columns import column, quoted
from jobs.operators.relation import Relation

TIME: Final = "_time"
TIMESTAMP: Final = "_timestamp"
LEFT_ID: Final = (
    "_left_id"  # after a join: the identity of the left row as a struct, null where it is missing
)
RIGHT_ID: Final = "_right_id"
# After a union whose inputs may collide: the input's name, the identity in it, null for the others.
UNION_ID: Final = "_union_id"
WATERMARK_COLUMN: Final = {
    "spark.watermarkDelayMs": 0
}  # metadata of the watermarked column; the delay itself belongs to the source
NO_WATERMARK: Final = {
    "weir.time": True
}  # removes it: aliases inherit it, and Spark allows only one such column
PRESENT: Final = "_present"  # in a packed row: no upstream step filtered the row out
PACKED: Final = "_packed"  # in a packed row: the row as it is at other steps
DELETED: Final = "_deleted"  # true in a changelog: this row takes its key away


@dataclass(frozen=True, slots=True)
class Rows:
    """What flows out of a node.

    Attributes:
        frame: columns are the relation's fields, then `system`.
        relation: the checked description of the same rows.
        system: the engine's own columns, in order: time, identity, freshness.
        aggregated: of an aggregate's results, the rows that it read; a change computes the measures again.
    """

    frame: DataFrame
    relation: Relation
    system: tuple[str, ...]
    aggregated: "Rows | None" = None

    def project(
        self, relation: Relation, columns: list[Column], system: tuple[str, ...] | None = None
    ) -> "Rows":
        """The same rows with these declared columns; system columns travel along."""
        kept = self.system if system is None else system
        return Rows(self.frame.select(*columns, *(column(quoted(name)) for name in kept)), relation, kept)

    def from_struct(self, struct: str) -> tuple[list[Column], list[Column]]:
        """The columns of these rows out of a struct column that holds a whole row, as a step with state in
        Python gives it back.

        Args:
            struct: the column's name.

        Returns:
            The declared columns, and the system columns, whose time is the watermarked one again.
        """
        declared = [column(f"{struct}.{quoted(name)}", name) for name in self.relation.schema.names]
        system = [
            column(f"{struct}.{quoted(name)}").alias(name, metadata=WATERMARK_COLUMN if name == TIME else {})
            for name in self.system
        ]
        return declared, system

    def observe(self, name: str, *metrics: Column) -> "Rows":
        """Count something in passing; the numbers come with the progress of each batch."""
        return replace(self, frame=self.frame.observe(name, *metrics))


def field_column(sql: str, name: str, data_type: DataType) -> Column:
    """A declared field that an expression gives, never the watermarked column.

    Spark's optimizer reduces many an expression to the event time itself, a cast to the same type for
    example; an alias would then inherit its mark, and a stateful step refuses rows with two such columns.
    """
    return (
        column(sql).alias(name, metadata=NO_WATERMARK) if data_type == TIMESTAMP_TYPE else column(sql, name)
    )


def row_identity(relation: Relation) -> tuple[str, ...]:
    """System columns that hold a row's identity, in the order of
    `docs/semantics/identity-and-results.md#identity`.
    """
    indexes = tuple(f"_index{i}" for i in range(relation.index_depth))
    if relation.identity_kind == "key":
        return (*(f"_id{i}" for i in range(len(relation.identity))), *indexes)
    if relation.identity_kind == "pair":
        return (LEFT_ID, RIGHT_ID, *indexes)
    if relation.identity_kind == "union":
        return (UNION_ID, *indexes)
    return (*SYSTEM_FIELDS[2:], *indexes)


def row_order(relation: Relation) -> tuple[str, ...]:
    """System columns that put rows into row order (`docs/semantics/identity-and-results.md#row-order`)."""
    return (TIME, *row_identity(relation))
