"""A plan as a stand-alone PySpark script: plain spark-submit runs it, and nothing of Weir is needed.

The script reads the same records and gives the same rows; what belongs to the service (reports, counters, fencing, partial
windows, dead letters, identities as Kafka keys) is left out. It covers the operators of `_WRITERS`; what it cannot say
`render` refuses with the step's name, rather than write something else (docs/reference/limits.md lists it).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

from jobs.expressions.plain_spark import with_plain_sql
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.written_names_sql import written_members_sql
from jobs.operators import OPERATORS
from jobs.operators.aggregate import AggregateBound
from jobs.operators.branch import BranchBound
from jobs.operators.change import ChangeBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter import FilterBound
from jobs.operators.join import JoinBound
from jobs.operators.latest import LatestBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.requirements import BOTH_MODES, OutputMode
from jobs.operators.sample import SampleBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join import TableJoinBound
from jobs.operators.union import UnionBound
from jobs.plan.model import Node, Plan, SourceBound
from jobs.plan.queries import Sink
from jobs.plan.script.aggregates import write_aggregate, write_change
from jobs.plan.script.common import NotRenderableError, Step, deletes, rows_of
from jobs.plan.script.joins import write_join
from jobs.plan.script.keyed import write_deduplicate, write_latest
from jobs.plan.script.rows import write_branch, write_explode, write_filter, write_projection, write_sample, write_split, write_union
from jobs.plan.script.sources import write_source
from jobs.plan.script.stateful import processors_in
from jobs.plan.script.tables import write_table_join
from jobs.plan.script.template import EPILOGUE, JSON_CONSTANTS, PROCESSING, PROLOGUE, READING, SEMI_JOINS, SORTING

_UNSAFE: Final = re.compile(r"[^\w .,-]")
_DELETED: Final = "_deleted"
_DELETIONS: Final = f"\nA row with {_DELETED} true takes its key away."


@dataclass(frozen=True, slots=True)
class Script:
    """A script, or why there is none: sentences that name the step."""

    text: str
    refusals: tuple[str, ...] = ()


def render(plan: Plan) -> Script:
    """The script of a plan without errors.

    Returns:
        Its text, or the reasons why it cannot be written: late rows as an output, record formats and keys that plain Spark
        has not, or a document with errors.
    """
    if not plan.ok or plan.document is None:
        return Script("", ("The document has errors.",))
    lines: list[str] = []
    refusals: list[str] = []
    plain = replace(plan, nodes=tuple(_plain(node) for node in plan.nodes))
    for node, static in _written(plain):
        try:
            lines += ["", *_node(Step(plain, node, static))]
        except NotRenderableError as reason:
            refusals.append(f"{node.name}: {reason}")
    refusals += _refused_outputs(plan)
    return Script("", tuple(dict.fromkeys(refusals))) if refusals else Script(_script(plan, plan.document.name, lines))


def _script(plan: Plan, name: str, lines: list[str]) -> str:
    body = "\n".join(f"    {line}" if line else "" for line in lines)
    imports, processors = processors_in(body)
    sources = [(node.name, node.bound) for node in plan.live_nodes if isinstance(node.bound, SourceBound)]
    more_imports = "from pyspark.sql.types import ArrayType\n" if "ArrayType(" in body else ""
    own = [line for line in imports.splitlines() if "pyspark" not in line and "pandas" not in line]
    foreign = [line for line in imports.splitlines() if line not in own]
    head = PROLOGUE.format(
        name=_UNSAFE.sub(" ", name),
        deletions=_DELETIONS if any(deletes(plan, sink.reference) for sink in plan.sinks) else "",
        imports="".join(f"{line}\n" for line in own) + ("\n" + "".join(f"{line}\n" for line in foreign if "pandas" in line)).rstrip("\n"),
        more_imports=more_imports + "".join(f"{line}\n" for line in foreign if "pyspark" in line),
        sources=repr(tuple(source for source, _ in sources)),
        constants=(READING if "READING" in body else "")
        + (JSON_CONSTANTS.replace("{max_bytes}", str(MAX_BYTES)) if "WRAPPED" in body else ""),
        processors=f"\n\n{processors}\n" if processors else "",
    )
    semi = any(isinstance(node.bound, JoinBound) and node.bound.type == "semi" for node in plan.live_nodes)
    sorts = any(isinstance(node.bound, DeduplicateBound) for node in plan.live_nodes)
    tail = EPILOGUE.format(
        outputs="\n".join(_output(plan, sink) for sink in plan.sinks),
        modes=repr({sink.name: _mode(plan, sink) for sink in plan.sinks}),
        policy=plan.document.settings.watermark if plan.document is not None else "min",
        more=(SORTING if sorts else "") + (PROCESSING if processors else "") + (SEMI_JOINS if semi else ""),
    )
    return head + body + "\n" + tail


def _written(plan: Plan) -> list[tuple[Node, bool]]:
    """What is written, in order: static tables first. An aggregate that only a change reads is written by the change."""
    nodes = [(node, True) for node in plan.live_nodes if node.name in plan.static]
    return nodes + [(node, False) for node in plan.live_nodes if node.name in plan.streaming and not _only_compared(plan, node)]


def _plain(node: Node) -> Node:
    """The node with functions of Spark alone."""
    return replace(node, bound=with_plain_sql(node.bound))


def _only_compared(plan: Plan, node: Node) -> bool:
    readers = [reader for reader in plan.live_nodes if node.name in reader.inputs]
    outside = any(sink.reference == node.name for sink in plan.sinks)
    return bool(readers) and not outside and all(isinstance(reader.bound, ChangeBound) for reader in readers)


def _node(step: Step) -> list[str]:
    if isinstance(step.node.bound, SourceBound):
        return write_source(step.node.name, step.node.bound, static=step.static)
    writer = _WRITERS.get(type(step.node.bound))
    if writer is None:
        raise NotRenderableError(f"PySpark export doesn't support {step.node.op}.")
    return [f"# {step.node.name}: {step.node.op}", *writer(step, step.node.bound)]


def _refused_outputs(plan: Plan) -> list[str]:
    found = []
    read = {*(reference for node in plan.live_nodes for reference in node.inputs), *(sink.reference for sink in plan.sinks)}
    for node in plan.live_nodes:
        late = [f"{node.name}.{port}" for port, relation in node.ports.items() if port == "late" and relation.late_rows]
        if read.intersection(late):
            found.append(f"{node.name}: PySpark export doesn't support late rows as an output.")
    if plan.has_exchange:
        found.append("PySpark export doesn't support jobs that run as two queries with an exchange.")
    for sink in plan.sinks:
        if not _modes(plan, sink):
            found.append(f"{sink.name}: PySpark export doesn't support updates after final results, which need two queries.")
        if (_DELETED,) in sink.names.values():
            found.append(
                f"{sink.name}: the field {_DELETED} is reserved for deleted rows in a PySpark export. Write it under another name."
            )
    variables = [rows_of(reference) for reference in read]
    if len(set(variables)) < len(variables):
        found.append(
            "Two steps or named outputs get the same variable name in the PySpark export. Rename the one whose name has two underscores."
        )
    return found


def _modes(plan: Plan, sink: Sink) -> frozenset[OutputMode]:
    """The output modes that every step upstream of an output allows."""
    upstream = [plan.node(name) for name in plan.upstream_of(sink.reference)]
    allowed = [OPERATORS[node.op].output_modes(node.bound) for node in upstream if not isinstance(node.bound, SourceBound)]
    return reduce(frozenset.intersection, allowed, BOTH_MODES)


def _mode(plan: Plan, sink: Sink) -> OutputMode:
    """A changelog is updated; append-only rows come once, unless an upstream step can only update."""
    return "append" if "append" in _modes(plan, sink) and plan.relation(sink.reference).kind == "append" else "update"


def _output(plan: Plan, sink: Sink) -> str:
    gone = [_DELETED] if deletes(plan, sink.reference) else []
    members = written_members_sql(plan.relation(sink.reference).schema, sink.names)
    rows = f"{rows_of(sink.reference)}.selectExpr({', '.join(map(repr, [*(sql for _, sql in members), *gone]))})"
    if sink.names:  # of which not every one can stand in an expression
        rows += f".toDF({', '.join(map(repr, [*(name for name, _ in members), *gone]))})"
    return f"        {sink.name!r}: {rows},"


_WRITERS: Final[dict[type[Any], Callable[[Step, Any], list[str]]]] = {
    FilterBound: write_filter,
    BranchBound: write_branch,
    SampleBound: write_sample,
    ProjectionBound: write_projection,
    SplitBound: write_split,
    ExplodeBound: write_explode,
    UnionBound: write_union,
    AggregateBound: write_aggregate,
    ChangeBound: write_change,
    DeduplicateBound: write_deduplicate,
    LatestBound: write_latest,
    JoinBound: write_join,
    TableJoinBound: write_table_join,
}
