"""Lowers a checked plan, or the part of one query, to one streaming DataFrame: sources, then each step by its
operator's lowering, then outputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, Observation

from jobs.engine.fan_out import Record, fan_out
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.operators import LOWERINGS
from jobs.engine.rows import Rows
from jobs.engine.sources.kafka import read_source
from jobs.engine.taps import Taps
from jobs.operators import OPERATORS
from jobs.plan import Node, Plan
from jobs.plan.model import SOURCE


@dataclass(frozen=True)
class LoweringError(Exception):
    """A step has no lowering: the check accepted what the engine can't do."""

    node: str
    operator: str

    def __str__(self) -> str:
        return f"step {self.node!r}: the engine has no lowering for {self.operator!r}"


def lower_plan(
    plan: Plan,
    raw: Mapping[str, DataFrame],
    writers: WriterSchemas | None = None,
    static: Mapping[str, DataFrame] | None = None,
    given: Mapping[str, Rows] | None = None,
    counts: Mapping[str, Observation] | None = None,
    taps: Taps | None = None,
) -> dict[str, Rows]:
    """The rows of the roots of the plan's groups, and of everything upstream, by reference.

    Args:
        plan: without errors.
        raw: by name of a streaming source, the columns of Kafka's records.
        writers: finds schemas whose ids the contracts do not name; None: they are not looked up.
        static: by name of a static source, the same columns of all its records, as a batch.
        given: by reference of an exchange, the rows that the other query wrote to it
            (`jobs.engine.exchange_rows`).
        counts: by name of a static source, the observation that receives the counts of its records.
        taps: see the rows of all nodes that read streams.

    Raises:
        LoweringError: an operator without lowering.
        BroadcastTooLargeError: a broadcast table, which is loaded here, has too many rows.
    """
    later = {step for group in plan.groups for step in group.steps}
    static_rows = _lowered(plan, plan.static, static or {}, {}, writers, {}, counts)
    return _lowered(plan, plan.streaming - later, raw, static_rows, writers, given or {}, taps=taps)


def _lowered(
    plan: Plan,
    names: frozenset[str],
    raw: Mapping[str, DataFrame],
    static_rows: dict[str, Rows],
    writers: WriterSchemas | None,
    given: Mapping[str, Rows],
    counts: Mapping[str, Observation] | None = None,
    taps: Taps | None = None,
) -> dict[str, Rows]:
    made = dict(given)
    for node in plan.live_nodes:
        if node.name not in names:
            continue
        if node.op == SOURCE:
            bound: Any = node.bound
            rows = read_source(
                node.name, raw[node.name], bound, node.output, writers, (counts or {}).get(node.name), taps
            )
            made[node.name] = rows if taps is None else taps.made(node.name, rows)
            continue
        static = OPERATORS[node.op].static_inputs(node.bound)
        inputs = tuple((static_rows if at in static else made)[name] for at, name in enumerate(node.inputs))
        made.update(lower_node(node, inputs, taps))
    return made


def lower_node(node: Node, inputs: tuple[Rows, ...], taps: Taps | None = None) -> dict[str, Rows]:
    """The rows of a step, by reference ``node`` or ``node.port``.

    Args:
        node: the step.
        inputs: the rows that it reads, in order.
        taps: see its rows.

    Raises:
        LoweringError: an operator without lowering.
    """
    lower = LOWERINGS.get(node.op)
    if lower is None:
        raise LoweringError(node.name, node.op)
    if taps is not None:
        inputs = (taps.given(node, inputs[0]), *inputs[1:])
    lowered = lower(node.name, node.bound, inputs, node.output)
    flows = lowered if isinstance(lowered, dict) else {"": lowered}
    made = {f"{node.name}.{port}" if port else node.name: rows for port, rows in flows.items()}
    return made if taps is None else {name: taps.made(name, rows) for name, rows in made.items()}


def output_records(plan: Plan, made: dict[str, Rows], record: Record, taps: Taps | None = None) -> DataFrame:
    """The records of all outputs of a plan, in one DataFrame.

    Args:
        plan: without errors.
        made: from `lower_plan`.
        record: returns the columns of a sink's records, among them the topic.
        taps: see the rows of steps that are computed here.
    """
    frames = []
    for group in plan.groups:
        if len(group.sinks) > 1:
            frames.append(fan_out(plan, group, made[group.root], record, taps))
        else:
            (sink,) = group.sinks
            frames.append(made[sink.reference].frame.select(*record(sink, made[sink.reference])))
    return reduce(DataFrame.unionByName, frames)


def is_final(plan: Plan) -> bool:
    """True when the output mode of the plan's only query is append."""
    (query,) = plan.queries
    return query.output_mode == "append"


def watermark_policy(plan: Plan) -> str:
    """The watermark policy, min or max, of the plan's only query.

    A query that reads an exchange always has min: its rows must not become late because a source of the query
    is ahead.
    """
    (query,) = plan.queries
    return plan.document.settings.watermark if plan.document is not None and not query.exchange_in else "min"


def acts_alone(plan: Plan) -> bool:
    """True when the watermark alone can add or delete results, so that batches without rows must run, too."""
    return is_final(plan) or any(OPERATORS[node.op].acts_alone(node.bound) for node in _steps(plan))


def sorts(plan: Plan) -> bool:
    """True when a step sorts the rows of each micro-batch."""
    return any(OPERATORS[node.op].sorts_batches for node in _steps(plan))


def _steps(plan: Plan) -> list[Node]:
    return [node for node in plan.live_nodes if node.op != SOURCE]
