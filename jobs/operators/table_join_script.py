"""The script of table_join: the rows of stream and table are joined per key by a stateful processor, or by a
broadcast join.
"""

from jobs.base.types import DataType
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.operators.broadcast import Broadcast
from jobs.operators.identity_sql import identity_sql
from jobs.operators.join_fields import left_keys, right_keys
from jobs.operators.script_processors import FAR
from jobs.operators.script_step import WATERMARK_COLUMN, ScriptStep, block_filter_pushdown, identity, selected
from jobs.operators.table_join_bound import TableJoinBound


def script(step: ScriptStep, bound: TableJoinBound) -> list[str]:
    """Lines that output every row of the stream at most once; with a broadcast table, once per match."""
    if bound.broadcast is not None:
        return _write_broadcast(step, bound, bound.broadcast)
    return [*_write_sides(step, bound), *_write_lookup(step, bound)]


def _shift(step: ScriptStep, bound: TableJoinBound) -> int:
    """The part of the slack that Spark does not apply itself, in microseconds."""
    return step.relation().not_applied(bound.slack).us


def _table_fields(step: ScriptStep) -> str:
    return ", ".join(repr(name) for name in step.relation(1).schema.names)


def _write_sides(step: ScriptStep, bound: TableJoinBound) -> list[str]:
    """Lines that compute the variable ``both``, the union of stream rows and table entries: key, side, order
    and the row as JSON.
    """
    as_of = bound.version == "as_of"
    gone = step.inputs[1].deletes
    entry = "if(_deleted, NULL, _text) AS _text" if gone else "_text"
    lefts = identity_sql([_part(pair.left, pair.type) for pair in bound.on])
    rights = identity_sql([_part(pair.right, pair.type) for pair in bound.on])
    fields = _table_fields(step)
    closing = (
        [f"unix_micros(_time) + {_shift(step, bound)}L AS _closing", f"{FAR}L AS _closing"] if as_of else []
    )
    lines = [
        f"rows, entries = {step.input(0)}, {step.input(1)}",
        "rows = rows.withColumn('_text', F.to_json(F.struct(*rows.columns), WRITING))",
        f"entries = entries.withColumn('_text', F.to_json(F.struct({fields}), WRITING))",
        *selected(
            "asking",
            "rows",
            [
                f"{lefts} AS _key",
                "1 AS _side",
                "unix_micros(_time) AS _at",
                "0 AS _partition",
                "0L AS _offset",
                "_text",
                *closing[:1],
            ],
        ),
        *selected(
            "known",
            "entries",
            [
                f"{rights} AS _key",
                "0 AS _side",
                "unix_micros(_time) AS _at",
                "_partition",
                "_offset",
                entry,
                *closing[1:],
            ],
        ),
        "both = asking.unionByName(known)",
    ]
    if as_of:
        lines.append("# entries are never late; a row waits until the watermark has passed it")
        lines.append(f"both = both.withMetadata('_closing', {WATERMARK_COLUMN})")
    return lines


def _processor(step: ScriptStep, bound: TableJoinBound) -> tuple[str, str]:
    """The call that creates the stateful processor, and its time mode."""
    if bound.version == "as_of":
        call = f"AsOfProcessor({bound.type == 'inner'}, {_shift(step, bound)}, {bound.retention.us})"
        return call, "eventTime"
    return f"CurrentProcessor({bound.type == 'inner'}, {bound.newest_by == 'event_time'})", "none"


def _write_lookup(step: ScriptStep, bound: TableJoinBound) -> list[str]:
    processor, mode = _processor(step, bound)
    fields = _table_fields(step)
    names = dict(bound.names)
    own = [f"_row.{quoted(name)} AS {quoted(name)}" for name in step.relation(0).schema.names]
    added = [f"_entry.{quoted(name)} AS {quoted(names[name])}" for name in step.relation(1).schema.names]
    return [
        f"processor = {processor}",
        "keyed = both.groupBy('_key')",
        f"looked_up = keyed.transformWithStateInPandas(processor, TABLE_OUTPUT, 'Append', {mode!r})",
        "looked_up = looked_up.select(",
        "    F.from_json('_row', rows.drop('_text').schema, WRITING).alias('_row'),",
        f"    F.from_json('_entry', entries.select({fields}).schema, WRITING).alias('_entry'),",
        ")",
        *selected(
            step.rows, "looked_up", [*own, *added, *(f"_row.{name} AS {name}" for name in step.kept())]
        ),
        f"{step.rows} = {step.rows}.withMetadata('_time', {WATERMARK_COLUMN})",
    ]


def _write_broadcast(step: ScriptStep, bound: TableJoinBound, broadcast: Broadcast) -> list[str]:
    """Lines that load the table when the script starts, and join it. If the streaming query read the table
    itself, it would read it again in every batch, up to its new end.
    """
    keys = identity(step.relation(1))
    depth = step.relation().index_depth
    indexes = {} if broadcast.by_key else {f"_index{depth + i}": key for i, key in enumerate(keys)}
    held = [f"_row.{quoted(name)} AS {quoted(joined)}" for name, joined in bound.names]
    made = {**right_keys(bound.on, "_row"), **indexes}
    lefts = [f"{sql} AS {key}" for key, sql in left_keys(bound.on).items()]
    equal = " AND ".join(f"_l_key{i} = _r_key{i}" for i in range(len(bound.on)))
    output = [*map(quoted, step.output.schema.names), *step.kept(), *indexes]
    return [
        *_newest(step, bound, keys),
        *selected("held", "newest", [*held, *(f"{sql} AS {name}" for name, sql in made.items())]),
        "held = held.localCheckpoint()",
        f"if held.count() > {broadcast.max_rows}:",
        f"    raise ValueError({f'{step.name}: the table has more than {broadcast.max_rows} rows'!r})",
        f"keyed = {step.input(0)}.selectExpr('*', {', '.join(map(repr, lefts))})",
        f"joined = keyed.join(F.broadcast(held), F.expr({equal!r}), 'left_outer')",
        *(_matched(step.name) if bound.type == "inner" else ()),
        *selected(step.rows, "joined", output),
    ]


def _newest(step: ScriptStep, bound: TableJoinBound, keys: list[str]) -> list[str]:
    """Lines that compute the variable ``newest``: the struct ``_row`` with the newest entry of each key."""
    gone = step.inputs[1].deletes
    order = "_offset" if bound.newest_by == "offset" else "_time, _offset"
    entry = ", ".join([*map(quoted, step.relation(1).schema.names), *(["_deleted"] if gone else [])])
    newest = f"max_by(struct({entry}), struct({order})) AS _row"
    return [
        "# the table as it is now: the newest entry of each key",
        f"newest = {step.input(1)}.groupBy({', '.join(map(repr, keys))}).agg(F.expr({newest!r}))",
        *(["newest = newest.where('NOT _row._deleted')"] if gone else []),
    ]


def _matched(step: str) -> list[str]:
    """Lines that keep the rows with a match. Spark's inner join with an empty side reads nothing of the other
    side, where a stateful step would then not commit its state.
    """
    return [
        block_filter_pushdown(
            "joined", f"joined:{step}", "the join, which so remains an outer one and reads the whole stream"
        ),
        "joined = joined.where('_r_key0 IS NOT NULL')",
    ]


def _part(name: str, data_type: DataType) -> tuple[str, DataType]:
    return f"cast({quoted(name)} AS {schema_sql(data_type)})", data_type
