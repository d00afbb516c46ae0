"""A plan as a stand-alone PySpark script: plain spark-submit runs it, and nothing of Weir is needed.

The script reads the same records and gives the same rows; what belongs to the service (reports, counters, fencing, partial
windows, dead letters, identities as Kafka keys) is left out. It covers the operators of `_WRITERS`; for others `render` says
which step it cannot write, rather than write something else.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.durations import ZERO, Duration
from jobs.base.types import BYTES, DATE, INT, LONG, STRING, TIMESTAMP, DataType, Decimal
from jobs.expressions.casts import cast_rule
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.write_spark import string_sql
from jobs.operators.aggregate import AggregateBound
from jobs.operators.filter import FilterBound
from jobs.operators.measure_sql import measure_sql
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation
from jobs.operators.split import SplitBound
from jobs.operators.windows import WindowSpec
from jobs.plan.model import SOURCE, Node, Plan, SourceBound
from jobs.plan.script_parts import EPILOGUE, PROLOGUE

_WORD: Final = r"[\p{L}\p{M}\p{N}_]+"
_FACTORS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}
_UNSAFE: Final = re.compile(r"[^\w .,-]")
_SYSTEM: Final = ("_time", "_append_time", "_source", "_partition", "_offset")


@dataclass(frozen=True, slots=True)
class Script:
    """A script, or why there is none: sentences that name the step."""

    text: str
    refusals: tuple[str, ...] = ()


class _Unwritable(Exception):  # noqa: N818  (a reason, not a fault)
    """What a script cannot say."""


def render(plan: Plan) -> Script:
    """The script of a plan without errors.

    Returns:
        Its text, or the reasons why it cannot be written: an operator, window or event-time rule that plain Spark has not,
        or a document with errors.
    """
    if not plan.ok or plan.document is None:
        return Script("", ("The document has errors.",))
    lines: list[str] = []
    refusals: list[str] = []
    for node in plan.live_nodes:
        try:
            lines += ["", *_node(node, plan)]
        except _Unwritable as reason:
            refusals.append(f"{node.name}: {reason}")
    if any(sink.topic for sink in plan.sinks):
        refusals.append("An output to a topic is written by the service only.")
    if refusals:
        return Script("", tuple(refusals))
    result = plan.sinks[0].reference
    final = any(isinstance(node.bound, AggregateBound) and node.bound.emit == "final" for node in plan.live_nodes)
    upsert = plan.relation(result).kind == "upsert"
    fields = ", ".join(repr(quoted(name)) for name in plan.relation(result).schema.names)
    head = PROLOGUE.format(
        name=_UNSAFE.sub(" ", plan.document.name), sources=repr(tuple(n.name for n in plan.live_nodes if n.op == SOURCE))
    )
    body = "\n".join(f"    {line}" if line else "" for line in lines)
    mode = "update" if upsert and not final else "append"
    return Script(head + body + EPILOGUE.format(result=_name(result), fields=fields, mode=mode, policy=plan.document.settings.watermark))


def _name(node: str) -> str:
    return f"rows_of_{node}"


def _node(node: Node, plan: Plan) -> list[str]:
    if isinstance(node.bound, SourceBound):
        return _source(node.name, node.bound, _grace(plan))
    writer = _WRITERS.get(type(node.bound))
    if writer is None:
        raise _Unwritable(f"{node.op} has no counterpart in a plain script yet.")
    upstream = plan.relation(node.inputs[0])
    return [f"# {node.op}", *writer(node, _name(node.inputs[0]), upstream)]


def _grace(plan: Plan) -> Duration:
    """The watermark of the script trails by as much more as its one aggregate waits for late rows."""
    lags = [node.bound.lag for node in plan.live_nodes if isinstance(node.bound, AggregateBound) and node.bound.window]
    if len(lags) > 1 and any(lag.us for lag in lags):
        raise _Unwritable("grace of one aggregate behind another needs more than a plain watermark.")
    return lags[0] if lags else ZERO


def _source(name: str, bound: SourceBound, grace: Duration) -> list[str]:
    contract = bound.contract
    if contract.format != "json" or contract.kind != "stream":
        raise _Unwritable("only streams of JSON records are read by a script.")
    fields = [field for field in contract.schema_of_rows if field.name in bound.used_fields]
    if any(isinstance(field.type, Decimal) or field.type == BYTES for field in fields):
        raise _Unwritable("decimals and bytes have rules of their own in JSON records.")
    ddl = ", ".join(f"{quoted(field.name)} {schema_sql(field.type)}" for field in fields)
    required = " AND ".join(f"{quoted(field.name)} IS NOT NULL" for field in fields if not field.nullable) or "true"
    time = _event_time(name, bound)
    declared = [
        repr(quoted(f.name) if f in fields else f"CAST(NULL AS {schema_sql(f.type)}) AS {quoted(f.name)}") for f in contract.schema_of_rows
    ]
    system = [repr("_time"), repr("_append_time"), repr(f"{string_sql(name)} AS _source"), repr("_partition"), repr("_offset")]
    return [
        f"# source {name}: records that are not of this form are left out",
        f"raw = read(spark, options, {name!r})",
        f"parsed = raw.select('*', F.from_json('value', {ddl!r}, {{'timeZone': 'UTC'}}).alias('record')).where('record IS NOT NULL')",
        "fields = parsed.select('record.*', '_append_time', '_partition', '_offset')",
        f"timed = fields.where({required!r}).select('*', F.expr({f'timestamp_micros({time})'!r}).alias('_time'))",
        f"marked = timed.where('_time IS NOT NULL').withWatermark('_time', '{contract.delay_duration.us + grace.us} microseconds')",
        f"{_name(name)} = marked.selectExpr({', '.join([*declared, *system])})",
    ]


def _event_time(name: str, bound: SourceBound) -> str:
    """Spark SQL of microseconds."""
    rule = bound.contract.event_time
    if rule.kind == "append" or rule.field is None:
        return "unix_micros(_append_time)"
    field = bound.contract.schema_of_rows.get(rule.field)
    kind: DataType | None = field.type if field is not None else None
    column = quoted(rule.field)
    if kind == TIMESTAMP:
        return f"unix_micros({column})"
    if kind in (INT, LONG) and (rule.unit or "ms") in _FACTORS:
        return f"try_multiply(CAST({column} AS BIGINT), {_FACTORS[rule.unit or 'ms']}L)"
    cast = cast_rule(STRING, TIMESTAMP)
    if kind == STRING and rule.format in (None, "iso") and rule.zone == "UTC" and cast is not None:
        return f"unix_micros({cast.sql.format(column, type='TIMESTAMP')})"
    if kind == DATE and rule.zone == "UTC":
        return f"unix_micros(CAST({column} AS TIMESTAMP))"
    raise _Unwritable(f"the event time of {name} has a form that a script does not read.")


def _kept(relation: Relation) -> list[str]:
    """System columns that travel beside the declared ones."""
    keys = [f"_id{i}" for i in range(len(relation.identity))] if relation.identity_kind == "key" else list(_SYSTEM[1:])
    time = [name for name in ("_time",) if name in relation.system]
    return [*time, *keys, *(f"_index{i}" for i in range(relation.index_depth))]


def _filter(node: Node, upstream: str, _: Relation) -> list[str]:
    if not isinstance(node.bound, FilterBound):
        raise TypeError(node.op)
    if node.output.kind == "upsert":
        raise _Unwritable("a filter over a changelog sends tombstones, which a plain script cannot.")
    return [f"{_name(node.name)} = {upstream}.where({node.bound.where.sql!r})"]


def _projection(node: Node, upstream: str, relation: Relation) -> list[str]:
    if not isinstance(node.bound, ProjectionBound):
        raise TypeError(node.op)
    columns = [f"{expression.sql} AS {quoted(name)}" for name, expression in node.bound.columns]
    return _selected(_name(node.name), upstream, [*columns, *_kept(relation)])


def _selected(name: str, upstream: str, columns: list[str]) -> list[str]:
    return [f"{name} = {upstream}.selectExpr(", *(f"    {column!r}," for column in columns), ")"]


def _split(node: Node, upstream: str, relation: Relation) -> list[str]:
    bound = node.bound
    if not isinstance(bound, SplitBound):
        raise TypeError(node.op)
    field = quoted(bound.field)
    if bound.by == "words":
        pieces = f"regexp_extract_all({field}, {string_sql(_WORD)}, 0)"
    else:
        pattern = "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in bound.by)
        pieces = f"filter(split({field}, {string_sql(pattern)}, -1), p -> p != '')"
    if bound.lower:
        pieces = f"transform({pieces}, p -> lower(p))"
    place = f"_index{relation.index_depth}"
    rest = [quoted(name) for name in node.output.schema.names if name != bound.as_]
    made = f"posexplode({pieces}) AS ({place}, {quoted(bound.as_)})"
    return _selected(_name(node.name), upstream, [*rest, *_kept(relation), made])


def _aggregate(node: Node, upstream: str, relation: Relation) -> list[str]:
    bound = node.bound
    if not isinstance(bound, AggregateBound):
        raise TypeError(node.op)
    if bound.window is not None and not isinstance(bound.window, WindowSpec):
        raise _Unwritable("only tumbling and hopping windows are written into a script.")
    if bound.dead_letters:
        raise _Unwritable("late rows as an output are the service's.")
    order = ("_time", *(_kept(relation)[1:] if "_time" in relation.system else _kept(relation)))
    measures = [f"{measure_sql(measure, order)} AS {quoted(measure.name)}" for measure in bound.measures]
    keys = [f"{expression.sql} AS _key{i}" for i, (_, expression) in enumerate(bound.by)]
    groups = [f"'_key{i}'" for i in range(len(keys))]
    names = [name for name, _ in bound.by]
    parts = [f"_key{i}" for i in range(len(keys))]
    if bound.window is not None:
        sizes = ", ".join(repr(f"{part.us} microseconds") for part in (bound.window.size, bound.window.advance, bound.window.offset))
        groups = [f"F.window('_time', {sizes}).alias('_window')", *groups]
        parts = ["_window.start", "_window.end", *parts]
        names = ["window_start", "window_end", *names]
    declared = [f"{part} AS {quoted(name)}" for part, name in zip(parts, names, strict=True)]
    system = [f"{part} AS _id{i}" for i, part in enumerate(parts)]
    if bound.window is not None:
        system.append("window_time(_window) AS _time")
    columns = [*declared, *(quoted(measure.name) for measure in bound.measures), *system]
    return [
        f"keyed = {upstream}.selectExpr('*'{''.join(f', {key!r}' for key in keys)})",
        f"grouped = keyed.groupBy({', '.join(groups)}).agg(",
        *(f"    F.expr({measure!r})," for measure in measures),
        ")",
        *_selected(_name(node.name), "grouped", columns),
    ]


_WRITERS: Final[dict[type[Any], Callable[[Node, str, Relation], list[str]]]] = {
    FilterBound: _filter,
    ProjectionBound: _projection,
    SplitBound: _split,
    AggregateBound: _aggregate,
}
