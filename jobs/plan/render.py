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
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter import FilterBound
from jobs.operators.join import JoinBound
from jobs.operators.latest import LatestBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation
from jobs.operators.split import SplitBound
from jobs.operators.union import UnionBound
from jobs.plan.model import SOURCE, Node, Plan, SourceBound
from jobs.plan.script_names import Unwritable, rows_of
from jobs.plan.script_parts import EPILOGUE, PROLOGUE, SORTING
from jobs.plan.script_rows import write_explode, write_filter, write_projection, write_split, write_union
from jobs.plan.script_state import write_aggregate, write_deduplicate, write_join, write_latest

_FACTORS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}
_UNREADABLE: Final = "_unreadable"
_READING: Final = {"timeZone": "UTC", "columnNameOfCorruptRecord": _UNREADABLE}
_UNSAFE: Final = re.compile(r"[^\w .,-]")


@dataclass(frozen=True, slots=True)
class Script:
    """A script, or why there is none: sentences that name the step."""

    text: str
    refusals: tuple[str, ...] = ()


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
        except Unwritable as reason:
            refusals.append(f"{node.name}: {reason}")
    if any(sink.topic for sink in plan.sinks):
        refusals.append("An output to a topic is written by the service only.")
    if plan.cut:
        refusals.append("The job runs as two queries that pass rows on; a script has one.")
    if refusals:
        return Script("", tuple(refusals))
    result = plan.sinks[0].reference
    sorts = any(isinstance(node.bound, DeduplicateBound) for node in plan.live_nodes)
    upsert = plan.relation(result).kind == "upsert"
    fields = ", ".join(repr(quoted(name)) for name in plan.relation(result).schema.names)
    head = PROLOGUE.format(
        name=_UNSAFE.sub(" ", plan.document.name), sources=repr(tuple(n.name for n in plan.live_nodes if n.op == SOURCE))
    )
    body = "\n".join(f"    {line}" if line else "" for line in lines)
    more = SORTING if sorts else ""
    written = EPILOGUE.format(
        result=rows_of(result),
        fields=fields,
        mode="update" if upsert else "append",
        policy=plan.document.settings.watermark,
        more=more,
    )
    return Script(head + body + written)


def _node(node: Node, plan: Plan) -> list[str]:
    if isinstance(node.bound, SourceBound):
        return _source(node.name, node.bound, _grace(plan))
    writer = _WRITERS.get(type(node.bound))
    if writer is None:
        raise Unwritable(f"{node.op} has no counterpart in a plain script yet.")
    return [f"# {node.op}", *writer(node, node.bound, tuple(plan.relation(reference) for reference in node.inputs))]


def _grace(plan: Plan) -> Duration:
    """The watermark of the script trails by as much more as its one step with state waits for late rows."""
    keeping = [node for node in plan.live_nodes if node.state.kind != "none"]
    if len(keeping) > 1 and any(isinstance(node.bound, JoinBound) for node in keeping):
        raise Unwritable("a join beside another step with state needs more than a plain watermark.")
    timed = [node.bound for node in keeping if not isinstance(node.bound, AggregateBound) or node.bound.window is not None]
    lags = [bound.lag for bound in timed if isinstance(bound, AggregateBound | DeduplicateBound | JoinBound)]
    if len(lags) > 1 and any(lag.us for lag in lags):
        raise Unwritable("grace of one step with state beside another needs more than a plain watermark.")
    return lags[0] if lags else ZERO


def _source(name: str, bound: SourceBound, grace: Duration) -> list[str]:
    contract = bound.contract
    if contract.format != "json" or contract.kind != "stream":
        raise Unwritable("only streams of JSON records are read by a script.")
    fields = [field for field in contract.schema_of_rows if field.name in bound.used_fields]
    if any(isinstance(field.type, Decimal) or field.type == BYTES for field in fields):
        raise Unwritable("decimals and bytes have rules of their own in JSON records.")
    # Spark makes a row of nulls of a record that it cannot read, and tells it by a column that keeps the text.
    ddl = ", ".join([*(f"{quoted(field.name)} {schema_sql(field.type)}" for field in fields), f"{_UNREADABLE} STRING"])
    required = " AND ".join(f"{quoted(field.name)} IS NOT NULL" for field in fields if not field.nullable) or "true"
    time = _event_time(name, bound)
    declared = [
        repr(quoted(f.name) if f in fields else f"CAST(NULL AS {schema_sql(f.type)}) AS {quoted(f.name)}") for f in contract.schema_of_rows
    ]
    system = [repr("_time"), repr("_append_time"), repr(f"{string_sql(name)} AS _source"), repr("_partition"), repr("_offset")]
    return [
        f"# source {name}: records that are not of this form are left out",
        f"raw = read(spark, options, {name!r})",
        f"parsed = raw.select('*', F.from_json('value', {ddl!r}, {_READING!r}).alias('record'))",
        f"readable = parsed.where('record IS NOT NULL AND record.{_UNREADABLE} IS NULL')",
        "fields = readable.select('record.*', '_append_time', '_partition', '_offset')",
        f"timed = fields.where({required!r}).select('*', F.expr({f'timestamp_micros({time})'!r}).alias('_time'))",
        f"marked = timed.where('_time IS NOT NULL').withWatermark('_time', '{contract.delay_duration.us + grace.us} microseconds')",
        f"{rows_of(name)} = marked.selectExpr({', '.join([*declared, *system])})",
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
    raise Unwritable(f"the event time of {name} has a form that a script does not read.")


_WRITERS: Final[dict[type[Any], Callable[[Node, Any, tuple[Relation, ...]], list[str]]]] = {
    FilterBound: write_filter,
    ProjectionBound: write_projection,
    SplitBound: write_split,
    ExplodeBound: write_explode,
    UnionBound: write_union,
    AggregateBound: write_aggregate,
    DeduplicateBound: write_deduplicate,
    LatestBound: write_latest,
    JoinBound: write_join,
}
