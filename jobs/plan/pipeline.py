"""Planning a document: all passes in one visible order."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.base.budget import Budget, bounded
from jobs.document import JobDocument, Reading, read_document
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.operators.requirements import NO_STATE
from jobs.plan.check import check
from jobs.plan.column_pruning import prune
from jobs.plan.draft import OPEN, Draft
from jobs.plan.fingerprint import fingerprint
from jobs.plan.graph import graph
from jobs.plan.limitations import limits
from jobs.plan.lint import lint
from jobs.plan.mode import mode
from jobs.plan.model import SOURCE, Facts, ModeDecision, Node, Plan, SourceBound, StateMeaning
from jobs.plan.outputs import outputs
from jobs.plan.query_split import split_queries
from jobs.plan.resolve import resolve
from jobs.plan.static_inputs import copies
from jobs.plan.watermark import watermark, watermarks_of

PASSES: Final[tuple[Callable[[Draft], None], ...]] = (
    resolve,
    graph,
    check,
    copies,
    limits,
    outputs,
    split_queries,
    watermark,
    prune,
    mode,
    lint,
    fingerprint,
)

NO_FACTS: Final = Facts()


MAX_WORK: Final = 3_000_000  # characters of Spark SQL for one document; what else counts as how many: `jobs.operators.expression_checks`


def plan_job(
    document: str | Mapping[str, Any] | JobDocument,
    catalog: Mapping[str, StreamContract],
    facts: Facts = NO_FACTS,
    *,
    seconds: float | None = None,
) -> Plan:
    """Check a document and say how it would run.

    Args:
        document: YAML or JSON text, plain values, or a document that was read before.
        catalog: contracts of the streams that the document may name, by stream name.
        facts: measured rates and the like; without them rates are taken as low.
        seconds: of processor time that the check of steps may take; None: only what is written is bounded.

    Returns:
        The plan with all problems at once. Never raises on bad input: nodes that could be checked are there.
    """
    reading = Reading(document, ()) if isinstance(document, JobDocument) else read_document(document)
    if reading.document is None:
        nothing = ModeDecision("microbatch", ("The document can't be parsed.",))
        return Plan(None, (), (), frozenset(), reading.problems, nothing, "", 1, StateMeaning())
    draft = Draft(reading.document, reading, catalog, facts, list(reading.problems))
    readable = draft.sound
    with bounded(Budget(MAX_WORK, seconds)):
        for one_pass in PASSES:
            one_pass(draft)
    return Plan(
        document=reading.document if readable else None,
        nodes=tuple(_node(draft, name) for name in draft.order),
        outputs=tuple(sink.reference for sink in draft.sinks),
        live=draft.live,
        flowing=draft.flowing,
        copied=draft.copied,
        problems=tuple(dict.fromkeys(draft.problems)),
        mode=draft.mode,
        fingerprint=draft.fingerprint if draft.sound else "",
        slots=draft.slots,
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
    relations = tuple(draft.relations.get(reference, OPEN) for reference in inputs)
    state = OPERATORS[op].state(checked, relations) if checked is not None else NO_STATE
    return Node(name, op, inputs, checked, relation, ports, name in draft.only_ports, state, watermarks_of(draft, name))
