"""table_join with a broadcast table in Spark: a native broadcast join with a static side.

See `docs/semantics/table-join.md#broadcast`.

The table is loaded here, when the query is built, into a local checkpoint: a plan that read the topic itself
would read it again, up to its new end, in every batch.
"""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.observed_metrics import block_filter_pushdown
from jobs.engine.rows import DELETED, TIME, Rows, row_identity, unmarked
from jobs.operators.broadcast import Broadcast
from jobs.operators.join_fields import left_keys, right_keys
from jobs.operators.relation import Relation
from jobs.operators.table_join_bound import TableJoinBound

_ROW: Final = "_row"


@dataclass(frozen=True)
class BroadcastTooLargeError(Exception):
    """A broadcast table has more rows than its step allows; the run fails."""

    step: str
    max_rows: int

    def __str__(self) -> str:
        return f"the table broadcast by step {self.step!r} has more than {self.max_rows} rows"


def join_broadcast(
    step: str, bound: TableJoinBound, broadcast: Broadcast, rows: Rows, table: Rows, output: Relation
) -> Rows:
    """Each row of the stream with each table row of its key. Without a match: the row alone, or nothing in an
    inner join. System columns are kept.

    Args:
        step: its name.
        bound: with `broadcast`.
        broadcast: limit and options of the broadcast table.
        rows: of the stream.
        table: the table's entries, deletions included, as a batch.
        output: the checked relation.

    Raises:
        BroadcastTooLargeError: the table has more than ``broadcast.max_rows`` rows.
    """
    keys, depth = row_identity(table.relation), rows.relation.index_depth
    indexes = {} if broadcast.by_key else {f"_index{depth + i}": key for i, key in enumerate(keys)}
    taken = _taken(table, bound, indexes).limit(broadcast.max_rows + 1).localCheckpoint()
    if taken.count() > broadcast.max_rows:
        raise BroadcastTooLargeError(step, broadcast.max_rows)
    keyed = rows.frame.select("*", *unmarked(left_keys(bound.on)))
    equal = column(" AND ".join(f"_l_key{i} = _r_key{i}" for i in range(len(bound.on))))
    joined = keyed.join(F.broadcast(taken), equal, "left_outer")
    joined = _read_always(step, joined, inner=bound.type == "inner")
    system = (*rows.system, *indexes)
    return Rows(
        joined.select(*(column(quoted(name)) for name in (*output.schema.names, *system))), output, system
    )


def _read_always(step: str, joined: DataFrame, *, inner: bool) -> DataFrame:
    """The rows of the outer join, or those that have a match: a join that always reads the stream.

    Spark's own inner join does not read one side when the other is empty: a stateful step upstream would not
    commit its state, and the query would fail. A table with rows also counts as empty when a condition that
    Spark pushes into it matches none of them. The observation keeps Spark from turning the outer join and a
    filter, that of the match or a later step's, into an inner join, and from pushing conditions below it.
    """
    matched = "_r_key0 IS NOT NULL"
    given = block_filter_pushdown(step, joined, f"count_if({matched})" if inner else "count(1)")
    return given.where(matched) if inner else given


def _taken(table: Rows, bound: TableJoinBound, indexes: dict[str, str]) -> DataFrame:
    """The table's columns in the join: fields under their names in the joined row, keys, and indexes."""
    made = {**right_keys(bound.on), **indexes}
    return _content(table, bound.newest_by).select(
        *(column(quoted(name), joined) for name, joined in bound.names),
        *(column(sql, name) for name, sql in made.items()),
    )


def _content(table: Rows, newest_by: str) -> DataFrame:
    """The newest entry of each key, unless it is a deletion: the table's fields, and its key as ``_id…``."""
    order = F.struct(*map(F.col, ("_offset",) if newest_by == "offset" else (TIME, "_offset")))
    entry = F.struct(*(column(quoted(name)) for name in (*table.relation.schema.names, DELETED)))
    keys = row_identity(table.relation)
    newest = table.frame.groupBy(*keys).agg(F.max_by(entry, order).alias(_ROW)).where(f"NOT {_ROW}.{DELETED}")
    return newest.select(
        *(column(f"{_ROW}.{quoted(name)}", name) for name in table.relation.schema.names), *keys
    )
