"""A plan as a stand-alone PySpark script, which spark-submit runs without Weir.

The script reads the same records and gives the same rows. It leaves out what belongs to the service: reports,
counters, fencing, partial windows, dead letters, identities as Kafka keys. Each operator renders its own
steps; what plain Spark can't express is refused, naming the step (docs/reference/limits.md lists it).
"""

import json
import re
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from jobs.base.optimizer_rules import CHANGE_ANSWERS, MOVE_SEMI_JOINS
from jobs.expressions.plain_spark import with_plain_sql
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.written_names_sql import written_members_sql
from jobs.operators import OPERATORS
from jobs.operators.requirements import BOTH_MODES, OutputMode
from jobs.operators.script_processors import Processors, processors_in
from jobs.operators.script_step import NotRenderableError, rows_of
from jobs.plan.model import SOURCE, Node, Plan, SourceBound
from jobs.plan.queries import Sink
from jobs.plan.script.sources import write_source
from jobs.plan.script.steps import ScriptSteps
from jobs.plan.script.template import (
    EPILOGUE,
    EXCLUDED_RULES,
    JSON_CONSTANTS,
    PROCESSING,
    PROLOGUE,
    READING,
    SEMI_JOINS,
    SORTING,
)

_UNSAFE: Final = re.compile(r"[^\w .,-]")
_DELETED: Final = "_deleted"
_DELETIONS: Final = f"\nA row with {_DELETED} true takes its key away."


@dataclass(frozen=True, slots=True)
class Script:
    """The text of a script; or an empty text, and sentences that name the steps that can't be rendered."""

    text: str
    refusals: tuple[str, ...] = ()


def render(plan: Plan) -> Script:
    """Render a plan as a script.

    Returns:
        Its text, or the reasons why there is none: errors of the document, late rows as an output, an
        exchange, record formats and keys that plain Spark can't decode.
    """
    if not plan.ok or plan.document is None:
        return Script("", ("The document has errors.",))
    plain = replace(plan, nodes=tuple(_plain(node) for node in plan.nodes))
    steps = ScriptSteps(plain)
    lines, refusals = _rendered_nodes(plain, steps)
    refusals += _refused_outputs(plan)
    if refusals:
        return Script("", tuple(dict.fromkeys(refusals)))
    deleting = [sink for sink in plan.sinks if steps.flow(sink.reference).deletes]
    body = "\n".join(f"    {line}" if line else "" for line in lines)
    processors = processors_in(body)
    head = _head(plan, plan.document.name, body, processors, deletes=bool(deleting))
    return Script(head + body + "\n" + _tail(plan, deleting, processes=processors.text != ""))


def _rendered_nodes(plan: Plan, steps: ScriptSteps) -> tuple[list[str], list[str]]:
    """The lines of all nodes, and the refusals of those that can't be rendered."""
    lines: list[str] = []
    refusals: list[str] = []
    for node, static in _written(plan):
        try:
            lines += ["", *_lines(steps, node, static=static)]
        except NotRenderableError as reason:
            refusals.append(f"{node.name}: {reason}")
    return lines, refusals


def _head(plan: Plan, name: str, body: str, processors: Processors, *, deletes: bool) -> str:
    """The text above the steps."""
    needs_pandas = any("pandas" in line for line in processors.imports)
    array_type = ["from pyspark.sql.types import ArrayType"] if "ArrayType(" in body else []
    return PROLOGUE.format(
        name=_UNSAFE.sub(" ", name),
        needs="PySpark and pandas" if needs_pandas else "PySpark only",
        deletions=_DELETIONS if deletes else "",
        imports=_standard_and_pandas_imports(processors),
        more_imports=_joined(array_type + [line for line in processors.imports if "pyspark" in line]),
        sources=repr(tuple(node.name for node in plan.live_nodes if node.op == SOURCE)),
        constants=_constants(body),
        processors=f"\n\n{processors.text}\n" if processors.text else "",
    )


def _standard_and_pandas_imports(processors: Processors) -> str:
    standard = [line for line in processors.imports if "pyspark" not in line and "pandas" not in line]
    pandas = [line for line in processors.imports if "pandas" in line]
    return _joined(standard) + ("\n" + _joined(pandas)).rstrip("\n")


def _constants(body: str) -> str:
    """The constants that the steps use."""
    constants = READING if "READING" in body else ""
    if "WRAPPED" in body:
        constants += JSON_CONSTANTS.replace("{max_bytes}", str(MAX_BYTES))
    return constants


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _tail(plan: Plan, deleting: list[Sink], *, processes: bool) -> str:
    """The text below the steps."""
    return EPILOGUE.format(
        outputs="\n".join(_output(plan, sink, deletes=sink in deleting) for sink in plan.sinks),
        modes=repr({sink.name: _mode(plan, sink) for sink in plan.sinks}),
        policy=plan.document.settings.watermark if plan.document is not None else "min",
        more=_settings(plan, processes=processes),
    )


def _settings(plan: Plan, *, processes: bool) -> str:
    """The Spark settings that the steps need."""
    steps = [node for node in plan.live_nodes if node.op != SOURCE]
    needed = {setting for node in steps for setting in OPERATORS[node.op].script_settings(node.bound)}
    settings = [SORTING if "sorted batches" in needed else "", PROCESSING if processes else ""]
    semi_joins = SEMI_JOINS.format(move_semi_joins=json.dumps(MOVE_SEMI_JOINS))
    more = semi_joins if "semi joins" in needed else ""
    settings.append(EXCLUDED_RULES.format(change_answers=json.dumps(CHANGE_ANSWERS), more=more))
    return "".join(settings)


def _written(plan: Plan) -> list[tuple[Node, bool]]:
    """The nodes to render, static ones first, each with whether it is static.

    A step is left out where the lowering of all its readers includes it (change).
    """
    static = [(node, True) for node in plan.live_nodes if node.name in plan.static]
    streaming = [node for node in plan.live_nodes if node.name in plan.streaming]
    return static + [(node, False) for node in streaming if not _is_computed_by_readers(plan, node)]


def _plain(node: Node) -> Node:
    """The node with expressions that use only Spark's own functions."""
    return replace(node, bound=with_plain_sql(node.bound))


def _is_computed_by_readers(plan: Plan, node: Node) -> bool:
    readers = [reader for reader in plan.live_nodes if node.name in reader.inputs]
    is_output = any(sink.reference == node.name for sink in plan.sinks)
    return bool(readers) and not is_output and all(OPERATORS[reader.op].computes_input for reader in readers)


def _lines(steps: ScriptSteps, node: Node, *, static: bool) -> list[str]:
    if isinstance(node.bound, SourceBound):
        return write_source(node.name, node.bound, static=static)
    written = OPERATORS[node.op].script(steps.step(node, static=static), node.bound)
    return [f"# {node.name}: {node.op}", *written]


def _refused_outputs(plan: Plan) -> list[str]:
    read = {
        *(reference for node in plan.live_nodes for reference in node.inputs),
        *(sink.reference for sink in plan.sinks),
    }
    found = _refused_late_rows(plan, read)
    if plan.has_exchange:
        found.append("PySpark export doesn't support jobs that run as two queries with an exchange.")
    for sink in plan.sinks:
        found += _refused_sink(plan, sink)
    # Also those that nothing reads: they are assigned all the same.
    variables = [rows_of(name) for node in plan.live_nodes for name in _references(node)]
    if len(set(variables)) < len(variables):
        found.append(
            "Two steps or named outputs get the same variable name in the PySpark export. "
            "Rename the one whose name has two underscores."
        )
    return found


def _references(node: Node) -> list[str]:
    """The rows that a node gives: its own and those of its named outputs."""
    return [*([] if node.only_ports else [node.name]), *(f"{node.name}.{port}" for port in node.ports)]


def _refused_late_rows(plan: Plan, read: set[str]) -> list[str]:
    found = []
    for node in plan.live_nodes:
        late = node.ports.get("late")
        if late is not None and late.late_rows and f"{node.name}.late" in read:
            found.append(f"{node.name}: PySpark export doesn't support late rows as an output.")
    return found


def _refused_sink(plan: Plan, sink: Sink) -> list[str]:
    found = []
    if not _modes(plan, sink):
        found.append(
            f"{sink.name}: PySpark export doesn't support updates after final results, "
            "which need two queries."
        )
    if (_DELETED,) in sink.names.values():
        found.append(
            f"{sink.name}: the field {_DELETED} is reserved for deleted rows in a PySpark export. "
            "Write it under another name."
        )
    return found


def _modes(plan: Plan, sink: Sink) -> frozenset[OutputMode]:
    """The output modes that all steps upstream of an output allow."""
    upstream = [plan.node(name) for name in plan.upstream_of(sink.reference)]
    allowed = [
        OPERATORS[node.op].output_modes(node.bound)
        for node in upstream
        if not isinstance(node.bound, SourceBound)
    ]
    return reduce(frozenset.intersection, allowed, BOTH_MODES)


def _mode(plan: Plan, sink: Sink) -> OutputMode:
    """The output mode of an output: append for append-only rows if upstream steps allow it, else update."""
    return (
        "append"
        if "append" in _modes(plan, sink) and plan.relation(sink.reference).kind == "append"
        else "update"
    )


def _output(plan: Plan, sink: Sink, *, deletes: bool) -> str:
    gone = [_DELETED] if deletes else []
    members = written_members_sql(plan.relation(sink.reference).schema, sink.names)
    rows = (
        f"{rows_of(sink.reference)}.selectExpr({', '.join(map(repr, [*(sql for _, sql in members), *gone]))})"
    )
    if sink.names:  # some of them can't be written in a SQL expression
        rows += f".toDF({', '.join(map(repr, [*(name for name, _ in members), *gone]))})"
    return f"        {sink.name!r}: {rows},"
