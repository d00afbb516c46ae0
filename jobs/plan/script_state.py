"""Steps with state in a rendered script: aggregate, deduplicate, latest, join. Their watermark is plain: rows trail by no lag of steps."""

from jobs.base.durations import Duration
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.operators.aggregate import AggregateBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.join import JoinBound
from jobs.operators.latest import LatestBound
from jobs.operators.measure_sql import measure_sql
from jobs.operators.relation import Relation
from jobs.operators.row_windows import SessionSpec
from jobs.operators.windows import WindowSpec
from jobs.plan.model import Node
from jobs.plan.script_names import PLAIN, Unwritable, identity, kept, row_order, rows_of, selected

_TYPES = {"inner": "inner", "left": "left_outer", "right": "right_outer", "full": "full_outer", "semi": "left_semi", "anti": "left_outer"}
_LATE = "late rows as an output are the service's."


def write_aggregate(node: Node, bound: AggregateBound, inputs: tuple[Relation, ...]) -> list[str]:
    """Groups by window and keys."""
    if bound.dead_letters:
        raise Unwritable(_LATE)
    order = row_order(inputs[0])
    measures = [f"{measure_sql(measure, order)} AS {quoted(measure.name)}" for measure in bound.measures]
    keys = [f"{expression.sql} AS _key{i}" for i, (_, expression) in enumerate(bound.by)]
    parts, names = [f"_key{i}" for i in range(len(keys))], [name for name, _ in bound.by]
    groups = [f"'{part}'" for part in parts]
    unmarked = "".join(f".withMetadata('{part}', {PLAIN})" for part in parts)  # the event time as a key is no second event time
    if not keys and (bound.window is None or isinstance(bound.window, SessionSpec)):
        # Spark refuses sessions without a key, and gives one group of all rows before its first row; this key is always the same
        keys, groups = ["pmod(unix_micros(_time), 1L) AS _all"], ["'_all'"]
    match bound.window:
        case None:
            pass
        case WindowSpec(size, advance, offset):
            sizes = ", ".join(repr(f"{part.us} microseconds") for part in (size, advance, offset))
            groups = [f"F.window('_time', {sizes}).alias('_window')", *groups]
        case SessionSpec(gap):
            groups = [f"F.session_window('_time', '{gap.us} microseconds').alias('_window')", *groups]
        case _:
            raise Unwritable("only tumbling, hopping and session windows are written into a script.")
    if bound.window is not None:
        parts, names = ["_window.start", "_window.end", *parts], ["window_start", "window_end", *names]
    declared = [f"{part} AS {quoted(name)}" for part, name in zip(parts, names, strict=True)]
    system = [f"{part} AS _id{i}" for i, part in enumerate(parts)] + (["window_time(_window) AS _time"] if bound.window else [])
    return [
        f"keyed = {rows_of(node.inputs[0])}.selectExpr('*'{''.join(f', {key!r}' for key in keys)}){unmarked}",
        f"grouped = keyed.groupBy({', '.join(groups)}).agg(",
        *(f"    F.expr({measure!r})," for measure in measures),
        ")",
        *selected(rows_of(node.name), "grouped", [*declared, *(quoted(measure.name) for measure in bound.measures), *system]),
    ]


def write_deduplicate(node: Node, bound: DeduplicateBound, inputs: tuple[Relation, ...]) -> list[str]:
    """The first row of each key; all rows of a key come from one sorted partition, so Spark meets the least first."""
    if bound.dead_letters:
        raise Unwritable(_LATE)
    held = 0 if bound.within is None else bound.within.us // 1_000
    keys = [f"_key{i}" for i in range(len(bound.by))]
    named = ", ".join(repr(key) for key in keys)
    order = ", ".join(repr(name) for name in (*keys, *row_order(inputs[0])))
    drop = f"dropDuplicates([{named}, '_clock'])" if bound.within is None else f"dropDuplicatesWithinWatermark([{named}])"
    declared = [quoted(name) for name in node.output.schema.names]
    clock = f"F.col('_time').alias('_clock', metadata={{'spark.watermarkDelayMs': {held}}})"
    made = ", ".join(repr(f"{quoted(name)} AS {key}") for name, key in zip(bound.by, keys, strict=True))
    return [
        f"clocked = {rows_of(node.inputs[0])}.withColumn('_clock', {clock})",
        f"keyed = clocked.withMetadata('_time', {PLAIN}).selectExpr('*', {made})",
        f"first = keyed.repartition({named}).sortWithinPartitions({order}).{drop}",
        *selected("told", "first", [*declared, "_time", *(f"{part} AS _id{i}" for i, part in enumerate([*keys, "_time"]))]),
        f"{rows_of(node.name)} = told.withMetadata('_time', {{'spark.watermarkDelayMs': 0}})",
    ]


def write_latest(node: Node, bound: LatestBound, inputs: tuple[Relation, ...]) -> list[str]:
    """The greatest row of each key."""
    if bound.delete_when is not None or bound.ttl is not None:
        raise Unwritable("keys that are taken away are tombstones, which a plain script cannot send.")
    order = identity(inputs[0])[1:] if bound.by_offset else row_order(inputs[0])
    names = [*map(quoted, node.output.schema.names), "_time"]
    keys = [f"_id{i}" for i in range(len(bound.by))]
    named = [f"{quoted(name)} AS {key}" for name, key in zip(bound.by, keys, strict=True)]
    missing = " OR ".join(f"{quoted(name)} IS NULL" for name in bound.by)
    newest = f"max_by(struct({', '.join(names)}), struct({', '.join(order)})) AS _row"
    return [
        f"keyed = {rows_of(node.inputs[0])}.where({f'NOT ({missing})'!r}).withMetadata('_time', {PLAIN})",
        f"grouped = keyed.selectExpr('*'{''.join(f', {name!r}' for name in named)}).groupBy({', '.join(map(repr, keys))})",
        f"newest = grouped.agg(F.expr({newest!r}))",
        *selected(rows_of(node.name), "newest", [*(f"_row.{name} AS {name}" for name in names), *keys]),
    ]


def write_join(node: Node, bound: JoinBound, inputs: tuple[Relation, ...]) -> list[str]:
    """Pairs with equal keys within the bounds; anti is a left join whose right side stayed away."""
    left, right = inputs
    one_sided = bound.type in ("semi", "anti")
    used = bound.where.fields if bound.where else frozenset[str]()
    lefts = [quoted(name) for name in left.schema.names]
    rights = [f"{quoted(name)} AS {quoted(joined)}" for name, joined in bound.names if not one_sided or joined in used]
    keys = [(f"cast({quoted(p.left)} AS {schema_sql(p.type)})", f"cast({quoted(p.right)} AS {schema_sql(p.type)})") for p in bound.on]
    lefts += [f"{sql} AS _l_key{i}" for i, (sql, _) in enumerate(keys)]
    rights += [f"{sql} AS _r_key{i}" for i, (_, sql) in enumerate(keys)]
    if one_sided:
        lefts += [f"{name} AS _l{name}" for name in kept(left)]
        rights += ["_time AS _r_time", "true AS _r_present"]
    else:
        lefts += ["_time AS _l_time", f"struct({', '.join(identity(left))}) AS _left_id"]
        rights += ["_time AS _r_time", f"struct({', '.join(identity(right))}) AS _right_id"]
    lines = [*selected("lefts", rows_of(node.inputs[0]), lefts), *selected("rights", rows_of(node.inputs[1]), rights)]
    lines.append(f"joined = lefts.join(rights, F.expr({_condition(bound)!r}), {_TYPES[bound.type]!r})")
    declared = [quoted(name) for name in node.output.schema.names]
    if one_sided:
        if bound.type == "anti":
            lines.append("joined = joined.where('_r_present IS NULL')")
        return [*lines, *selected(rows_of(node.name), "joined", [*declared, *(f"_l{name} AS {name}" for name in kept(left))])]
    time = {"later": "greatest(_l_time, _r_time)", "left": "coalesce(_l_time, _r_time)", "right": "coalesce(_r_time, _l_time)"}[bound.time]
    return [*lines, *selected(rows_of(node.name), "joined", [*declared, f"{time} AS _time", "_left_id", "_right_id"])]


def _condition(bound: JoinBound) -> str:
    parts = bound.keys_meet
    if bound.before is not None and bound.after is not None:
        parts += [f"_r_time >= _l_time + {_seconds(Duration(-bound.before.us))}", f"_r_time <= _l_time + {_seconds(bound.after)}"]
    if bound.where is not None:
        parts.append(f"({bound.where.sql})")
    return " AND ".join(parts)


def _seconds(span: Duration) -> str:
    whole, us = divmod(abs(span.us), 1_000_000)
    return f"INTERVAL '{'-' if span.us < 0 else ''}{whole}.{us:06}' SECOND"
