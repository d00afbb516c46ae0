"""latest in Spark (`semantics.md` 4.18): the greatest row of each key, by one native aggregation."""

from typing import Final

from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.counting import count_keyless, count_nulls
from jobs.engine.rows import APPEND_TIME, DELETED, TIME, Rows, row_identity, row_order
from jobs.operators.latest import LatestBound
from jobs.operators.relation import Relation

LOWERING_REVISION: Final = 1

_DELETES: Final = "_deletes"
_ROW: Final = "_row"
_PLAIN: Final = {"weir.time": True}  # takes the watermark's mark off a column


def lower(step: str, bound: LatestBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One row per key, written again when it may have changed; a tombstone when the newest row takes its key away."""
    conditions = [bound.delete_when] if bound.delete_when is not None else []
    rows = count_nulls(step, inputs[0], conditions)
    keyed = count_keyless(step, rows, bound.by)
    deletes = f"coalesce({bound.delete_when.sql}, false)" if bound.delete_when is not None else "false"
    marked = keyed.frame.select(
        *(column(quoted(name)) for name in keyed.frame.columns if name != TIME),
        column(TIME).alias(TIME, metadata=_PLAIN),
        column(deletes, _DELETES),
        *(column(quoted(name)).alias(f"_id{i}", metadata=_PLAIN) for i, name in enumerate(bound.by)),
    )
    value = F.struct(*(column(quoted(name)) for name in (*output.schema.names, TIME, _DELETES)))
    order = F.struct(*(column(quoted(name)) for name in _order(bound, rows)))
    identity = [f"_id{i}" for i in range(len(bound.by))]
    newest = marked.groupBy(*identity).agg(F.max_by(value, order).alias(_ROW), F.max(APPEND_TIME).alias(APPEND_TIME))
    declared = [column(f"{_ROW}.{quoted(name)}", name) for name in output.schema.names]
    system = [column(f"{_ROW}.{TIME}", TIME), column(APPEND_TIME), column(f"{_ROW}.{_DELETES}", DELETED), *map(column, identity)]
    return Rows(newest.select(*declared, *system), output, (TIME, APPEND_TIME, DELETED, *identity))


def _order(bound: LatestBound, rows: Rows) -> tuple[str, ...]:
    """Row order; or partition, offset and places."""
    return row_identity(rows.relation)[1:] if bound.by_offset else row_order(rows.relation)
