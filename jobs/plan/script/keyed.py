"""deduplicate and latest in a rendered script."""

from typing import Final

from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import shifted
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.latest import LatestBound
from jobs.plan.script.common import NO_WATERMARK, Step, identity, identity_types, marked, row_order, selected
from jobs.plan.script.stateful import write_expiring

_KEPT: Final = ("_time", "_deletes")


def write_deduplicate(step: Step, bound: DeduplicateBound) -> list[str]:
    """The first row of each key; all rows of a key come from one sorted partition, so Spark meets the least first."""
    slack = bound.slack.us - step.relation().spark_slack.us
    held = 0 if bound.within is None else bound.within.us // 1_000
    keys = [f"_key{i}" for i in range(len(bound.by))]
    named = ", ".join(repr(key) for key in keys)
    order = ", ".join(repr(name) for name in (*keys, *row_order(step.relation())))
    drop = f"dropDuplicates([{named}, '_clock'])" if bound.within is None else f"dropDuplicatesWithinWatermark([{named}])"
    declared = [quoted(name) for name in step.node.output.schema.names]
    system = [name for name in step.node.output.system if not name.startswith("_id")]
    clock = f"F.expr({shifted('_time', slack)!r}).alias('_clock', metadata={{'spark.watermarkDelayMs': {held}}})"
    made = ", ".join(repr(f"{quoted(name)} AS {key}") for name, key in zip(bound.by, keys, strict=True))
    return [
        f"clocked = {step.input()}.withColumn('_clock', {clock})",
        f"keyed = clocked.withMetadata('_time', {NO_WATERMARK}).selectExpr('*', {made})",
        *(f"keyed = keyed.withMetadata({key!r}, {NO_WATERMARK})" for key in keys),
        "# all rows of a key come from one sorted partition, so Spark meets the least first",
        f"first = keyed.repartition({named}).sortWithinPartitions({order}).{drop}",
        *selected(step.rows, "first", [*declared, *system, *(f"{part} AS _id{i}" for i, part in enumerate([*keys, "_time"]))]),
        marked(step.rows),
    ]


def write_latest(step: Step, bound: LatestBound) -> list[str]:
    """The greatest row of each key."""
    missing = " OR ".join(f"{quoted(name)} IS NULL" for name in bound.by)
    named = [f"{quoted(name)} AS _by{i}" for i, name in enumerate(bound.by)]
    gone = [f"coalesce({bound.delete_when.sql}, false) AS _deletes"] if bound.delete_when is not None else []
    lines = [
        f"known = {step.input()}.where({f'NOT ({missing})'!r}).withMetadata('_time', {NO_WATERMARK})",
        f"keyed = known.selectExpr('*', {', '.join(map(repr, [*named, *gone]))})",
        *(f"keyed = keyed.withMetadata('_by{i}', {NO_WATERMARK})" for i in range(len(bound.by))),
    ]
    if bound.ttl is not None:
        return [*lines, *_expiring(step, bound)]
    order = identity(step.relation())[1:] if bound.by_offset else row_order(step.relation())
    names = [*map(quoted, step.node.output.schema.names), "_time", *(["_deletes"] if gone else [])]
    keys = [f"_by{i}" for i in range(len(bound.by))]
    newest = f"max_by(struct({', '.join(names)}), struct({', '.join(order)})) AS _row"
    declared = [f"_row.{name} AS {'_deleted' if name == '_deletes' else name}" for name in names]
    return [
        *lines,
        f"newest = keyed.groupBy({', '.join(map(repr, keys))}).agg(F.expr({newest!r}))",
        *selected(step.rows, "newest", [*declared, *(f"{key} AS _id{i}" for i, key in enumerate(keys))]),
    ]


def _expiring(step: Step, bound: LatestBound) -> list[str]:
    """With a time to live by a stateful processor: an aggregation in update mode never tells what it forgets."""
    assert bound.ttl is not None
    names = list(step.node.output.schema.names)
    by = dict(zip(bound.by, range(len(bound.by)), strict=True))
    types = [field.type for name in by for field in step.node.output.schema if field.name == name]
    order_key = list(zip(identity(step.relation()), identity_types(step.plan, step.node.inputs[0]), strict=True))
    wait = bound.ttl.us + bound.slack.us - step.relation().spark_slack.us
    return [
        *write_expiring(
            names,
            [(f"_by{i}", of) for i, of in enumerate(types)],
            order_key,
            by_offset=bound.by_offset,
            wait=wait,
            deletes=bound.delete_when is not None,
        ),
        *selected(
            step.rows,
            "newest",
            [
                # what time takes away is known by its key only
                *(f"_row.{f'_by{by[name]}' if name in by else quoted(name)} AS {quoted(name)}" for name in names),
                "_row._time AS _time",
                "_deleted",
                *(f"_row._by{i} AS _id{i}" for i in by.values()),
            ],
        ),
    ]
