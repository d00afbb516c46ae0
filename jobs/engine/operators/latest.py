"""latest in Spark (`docs/semantics/latest.md`): the latest row of each key, by one native aggregation.

With `ttl` by transformWithState, since an aggregation in update mode does not report what it evicts.
"""

from typing import Final

from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted
from jobs.engine.observed_metrics import count_keyless, count_nulls
from jobs.engine.operators import latest_processor, row_rank
from jobs.engine.row_json import json_of_row, row_from_json
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
from jobs.engine.spark_type_mapping import from_spark_type
from jobs.operators.identity_sql import identity_sql
from jobs.operators.latest import LatestBound
from jobs.operators.relation import Relation

_DELETES: Final = "_deletes"
_ROW: Final = "_row"
_NEVER: Final = f"{2**62}L"  # after every instant: no row is late

cloudpickle.register_pickle_by_value(latest_processor)  # type: ignore[no-untyped-call]
cloudpickle.register_pickle_by_value(row_rank)  # type: ignore[no-untyped-call]


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
    types = {
        field.name: from_spark_type(field.dataType)
        for field in rows.frame.schema
        if field.name.startswith("_")
    }
    parts = row_identity(rows.relation)
    own = [*_keys(bound), TIME, TIMESTAMP]
    texts = rows.frame.select(
        column(identity_sql([(quoted(key), types[key]) for key in _keys(bound)]), "_key"),
        column(f"unix_micros({TIME})", "_at"),
        column(
            identity_sql(
                [(quoted(name), types[name]) for name in (parts[1:] if bound.by_offset else parts)],
                ranked=True,
            ),
            "_order_key",
        ),
        json_of_row([*output.schema.names, *own]).alias(_ROW),
        json_of_row(own).alias("_own"),
        column(_DELETES),
        column(_NEVER).alias("_never", metadata=WATERMARK_COLUMN),
    )
    processor = latest_processor.LatestProcessor(
        bound.by_offset, ttl.us + rows.relation.not_applied(bound.slack).us
    )
    made = texts.groupBy("_key").transformWithStateInPandas(
        processor, latest_processor.OUTPUT, "Update", "eventTime"
    )
    held = rows.frame.select(*(column(quoted(name)) for name in (*output.schema.names, *own))).schema
    parsed = made.select(row_from_json(held, _ROW).alias(_ROW), column(DELETED))
    declared = [column(f"{_ROW}.{quoted(name)}", name) for name in output.schema.names]
    system = [column(f"{_ROW}.{name}", name) for name in (TIME, TIMESTAMP)]
    return _result(
        parsed.select(*declared, *system, column(DELETED), *_identity(bound, f"{_ROW}.")), bound, output
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
