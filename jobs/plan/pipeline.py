"""Planning of a document: all passes in order."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.base.budget import Budget, bounded
from jobs.document import JobDocument, ParseResult, read_document
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.operators.requirements import NO_STATE
from jobs.plan.check import check
from jobs.plan.column_pruning import prune_columns, reads_of
from jobs.plan.draft import UNKNOWN_RELATION, Draft
from jobs.plan.fingerprint import fingerprint
from jobs.plan.graph import graph
from jobs.plan.limitations import limits
from jobs.plan.lineage import lineage
from jobs.plan.lint import lint
from jobs.plan.mode import mode
from jobs.plan.model import SOURCE, ModeDecision, Node, Plan, PlanningContext, SourceBound, StateSignature
from jobs.plan.outputs import outputs
from jobs.plan.query_split import split_queries
from jobs.plan.resolve import resolve
from jobs.plan.static_inputs import split_inputs
from jobs.plan.watermark import watermark, watermarks_of

PASSES: Final[tuple[Callable[[Draft], None], ...]] = (
    resolve,
    graph,
    check,
    split_inputs,
    limits,
    outputs,
    lineage,
    split_queries,
    watermark,
    prune_columns,
    mode,
    lint,
    fingerprint,
)

NO_CONTEXT: Final = PlanningContext()


MAX_WORK: Final = 3_000_000
"""Characters of Spark SQL for one document; `jobs.operators.expression_checks` says what else counts."""


def plan_job(
    document: str | Mapping[str, Any] | JobDocument,
    catalog: Mapping[str, StreamContract],
    context: PlanningContext = NO_CONTEXT,
    *,
    seconds: float | None = None,
) -> Plan:
    """Check a document and plan how it runs.

    Args:
        document: YAML or JSON text, plain values, or a parsed document.
        catalog: contracts of the streams that the document may name, by stream name.
        context: measured rates and the like; an unknown rate counts as 0.
        seconds: processor time that the check of steps may take; None: only its work is limited (MAX_WORK).

    Returns:
        The plan with all problems at once. Bad input raises nothing: the plan has the nodes that could be
        parsed.
    """
    reading = ParseResult(document, ()) if isinstance(document, JobDocument) else read_document(document)
    if reading.document is None:
        nothing = ModeDecision("microbatch", ("The document can't be parsed.",))
        return Plan(None, (), (), frozenset(), reading.problems, nothing, "", 1, StateSignature())
    draft = Draft(reading.document, reading, catalog, context, list(reading.problems))
    readable = draft.valid
    with bounded(Budget(MAX_WORK, seconds)):
        for one_pass in PASSES:
            one_pass(draft)
    return Plan(
        document=reading.document if readable else None,
        nodes=tuple(_node(draft, name) for name in draft.order),
        outputs=tuple(sink.reference for sink in draft.sinks),
        live=draft.live,
        streaming=draft.streaming,
        static=draft.static,
        problems=tuple(dict.fromkeys(draft.problems)),
        mode=draft.mode,
        fingerprint=draft.fingerprint if draft.valid else "",
        base_fingerprint=draft.base_fingerprint if draft.valid else "",
        slots=draft.slots,
        fanout=draft.fanout,
        lineage=draft.lineage if draft.valid else {},
        state=draft.state,
        sinks=draft.sinks,
        groups=draft.groups,
        queries=draft.queries,
        exchanged_fields=draft.exchanged_fields,
    )


def _node(draft: Draft, name: str) -> Node:
    relation = draft.relations[name]
    if name in draft.document.sources:
        contract = draft.contracts.get(name)
        bound = SourceBound(contract, draft.used_fields[name]) if contract is not None else None
        return Node(name, SOURCE, (), bound, relation, watermarks=watermarks_of(draft, name))
    ports = {reference.partition(".")[2]: draft.relations[reference] for reference in draft.ports(name)}
    op, checked, inputs = draft.document.steps[name].op, draft.bounds.get(name), draft.inputs[name]
    relations = tuple(draft.relations.get(reference, UNKNOWN_RELATION) for reference in inputs)
    state = OPERATORS[op].state(checked, relations) if checked is not None else NO_STATE
    return Node(
        name,
        op,
        inputs,
        checked,
        relation,
        ports,
        name in draft.only_ports,
        state,
        watermarks_of(draft, name),
        reads_of(draft, name, draft.needed) if draft.valid and name in draft.live else (),
    )
