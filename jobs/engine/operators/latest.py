"""latest in Spark (`docs/semantics/latest.md`): the latest row of each key, by one native aggregation.

With `ttl` by an operator of the JVM, since an aggregation in update mode does not report what it evicts.
"""

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted
from jobs.engine.keyed_state import Stored, keep_state, key_column
from jobs.engine.observed_metrics import count_keyless, count_nulls
from jobs.engine.rows import (
    DELETED,
    NO_WATERMARK,
    TIME,
    TIMESTAMP,
    WATERMARK_COLUMN,
    Rows,
    row_identity,
    row_order,
)
from jobs.operators.latest import LatestBound
from jobs.operators.relation import Relation

_DELETES: Final = "_deletes"
_ROW: Final = "_row"
_OWN: Final = "_own"
_NEVER: Final = f"{2**62}L"  # after every instant: no row is late


def lower(step: str, bound: LatestBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One row per key, written again when it may have changed; a tombstone when the latest row deletes the
    key or its `ttl` has passed.
    """
    keyed = count_keyless(step, inputs[0], bound.by)
    keyed = count_nulls(step, keyed, bound.delete_when.failures if bound.delete_when is not None else ())
    deletes = f"coalesce({bound.delete_when.sql}, false)" if bound.delete_when is not None else "false"
    marked = keyed.frame.select(
        *(column(quoted(name)) for name in keyed.frame.columns if name != TIME),
        column(TIME).alias(TIME, metadata=NO_WATERMARK),
        column(deletes, _DELETES),
        *(column(quoted(name)).alias(f"_by{i}", metadata=NO_WATERMARK) for i, name in enumerate(bound.by)),
    )
    rows = Rows(marked, keyed.relation, keyed.system)
    return (
        _expiring(bound, bound.ttl, rows, output) if bound.ttl is not None else _lasting(bound, rows, output)
    )


def _lasting(bound: LatestBound, rows: Rows, output: Relation) -> Rows:
    value = F.struct(*(column(quoted(name)) for name in (*output.schema.names, TIME, _DELETES)))
    order = F.struct(*(column(quoted(name)) for name in _order(bound, rows)))
    newest = rows.frame.groupBy(*_keys(bound)).agg(
        F.max_by(value, order).alias(_ROW), F.max(TIMESTAMP).alias(TIMESTAMP)
    )
    declared = [column(f"{_ROW}.{quoted(name)}", name) for name in output.schema.names]
    system = [column(f"{_ROW}.{TIME}", TIME), column(TIMESTAMP), column(f"{_ROW}.{_DELETES}", DELETED)]
    return _result(newest.select(*declared, *system, *_identity(bound, "")), bound, output)


def _expiring(bound: LatestBound, ttl: Duration, rows: Rows, output: Relation) -> Rows:
    parts = row_identity(rows.relation)
    rank = Stored(rows.frame, parts[1:] if bound.by_offset else parts)
    # Of a row the state keeps only this: what it holds has been written when it came.
    own = Stored(rows.frame, (*_keys(bound), TIME, TIMESTAMP))
    whole = Stored(rows.frame, output.schema.names)
    seen = rows.frame.select(
        key_column(list(map(quoted, _keys(bound)))),
        column(f"unix_micros({TIME})", "_at"),
        column(rank.packed, "_rank"),
        column(whole.packed, _ROW),
        column(own.packed, _OWN),
        column(_DELETES),
        column(_NEVER).alias("_never", metadata=WATERMARK_COLUMN),
    )
    wait = ttl.us + rows.relation.not_applied(bound.slack).us
    made = keep_state(seen, "ExpiringLatest", bound.by_offset, wait, rank.schema, by_time=True, updates=True)
    parsed = made.select(whole.unpacked(_ROW), own.unpacked(_OWN), column(DELETED))
    declared = [column(f"{_ROW}.{quoted(name)}", name) for name in output.schema.names]
    system = [column(f"{_OWN}.{name}", name) for name in (TIME, TIMESTAMP)]
    return _result(
        parsed.select(*declared, *system, column(DELETED), *_identity(bound, f"{_OWN}.")), bound, output
    )


def _keys(bound: LatestBound) -> list[str]:
    return [f"_by{i}" for i in range(len(bound.by))]


def _identity(bound: LatestBound, inside: str) -> list[Column]:
    return [column(f"{inside}{key}", f"_id{i}") for i, key in enumerate(_keys(bound))]


def _result(frame: DataFrame, bound: LatestBound, output: Relation) -> Rows:
    return Rows(frame, output, (TIME, TIMESTAMP, DELETED, *(f"_id{i}" for i in range(len(bound.by)))))


def _order(bound: LatestBound, rows: Rows) -> tuple[str, ...]:
    """The columns that decide which row is the latest: row order, or partition, offset and indexes."""
    return row_identity(rows.relation)[1:] if bound.by_offset else row_order(rows.relation)


def state_operators(bound: LatestBound) -> tuple[str, ...]:
    """Spark's names of the step's stateful operators."""
    return ("stateStoreSave",) if bound.ttl is None else ("transformWithStateExec",)
