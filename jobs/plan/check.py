"""Pass: check every step against the relations of its inputs."""

from dataclasses import replace
from typing import Any, Final

from jobs.base.budget import OverBudget
from jobs.base.problems import DocumentPath, problem
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.operators.output_fields import nearest
from jobs.operators.relation import Relation, StepCheck
from jobs.plan.draft import UNKNOWN_RELATION, Draft, node_of

MAX_READS: Final = 500
"""How often a step may read sources: each way that leads from a source to it is a read of its own, in Spark
and for the passes that follow the ways. They double with each union of a step and what reads it.
"""
_SMALLER: Final = (
    "Use fewer or shorter expressions and fewer fields, or split the job in two with a topic in between."
)
_MALFORMED: Final = (
    "Jobs read only valid records. Contract validation of a stream keeps malformed ones as dead letters."
)


def check(draft: Draft) -> None:
    """Report the problems of steps; fill relations, bounds and named outputs. A step is checked even when
    upstream steps have errors.

    INPUT_COUNT for a named output that a node does not have, and for reading a step that has only named
    outputs; DOCUMENT_TOO_LARGE for the step at which the document's budget of work or time is used up, or
    that reads sources more than `MAX_READS` times.
    """
    over = False
    reads: dict[str, int] = {}
    for name in draft.order:
        reads[name] = sum(reads.get(node_of(reference), 0) for reference in draft.inputs.get(name, ())) or 1
        if name in draft.document.sources:
            draft.relations[name] = source_relation(name, draft.contracts.get(name))
        elif over:
            draft.relations[name] = UNKNOWN_RELATION
        else:
            over = _reads_too_often(draft, name, reads[name]) or not _checked_within_budget(draft, name)
    for name, output in draft.document.outputs.items():
        _find(draft, output.input, ("outputs", name, "input"))


def _reads_too_often(draft: Draft, name: str, reads: int) -> bool:
    if reads <= MAX_READS:
        return False
    draft.relations[name] = UNKNOWN_RELATION
    message = (
        f"It reads sources {reads:,} times, once for each way that leads to it; the limit is {MAX_READS}."
    )
    hint = "Let fewer steps read the same one, or split the job in two with a topic in between."
    draft.problems.append(problem("DOCUMENT_TOO_LARGE", ("steps", name), message, hint))
    return True


def _checked_within_budget(draft: Draft, name: str) -> bool:
    """Check a step. False when it exceeds the budget: then the steps after it are not checked."""
    try:
        _check_step(draft, name)
    except OverBudget as over:
        draft.relations[name] = UNKNOWN_RELATION
        message = f"The document is too large to check up to this step: {over}."
        draft.problems.append(problem("DOCUMENT_TOO_LARGE", ("steps", name), message, _SMALLER))
        return False
    return True


def _check_step(draft: Draft, name: str) -> None:
    step = draft.document.steps[name]
    known = set(draft.inputs[name])
    inputs = tuple(
        _find(draft, reference, ("steps", name, *parameter.split(".")))
        if reference in known
        else UNKNOWN_RELATION
        for parameter, reference in step.inputs()
    )
    checked = OPERATORS[step.op].check(step, inputs, ("steps", name))
    draft.problems += checked.problems
    _store_relations(draft, name, checked, _streaming_sources(step.op, checked, inputs))
    if checked.only_ports:
        draft.only_ports.add(name)
    is_complete = name not in draft.parsed.incomplete and all(one in known for _, one in step.inputs())
    if checked.bound is not None and is_complete:
        draft.bounds[name] = checked.bound


def _streaming_sources(op: str, checked: StepCheck[Any], inputs: tuple[Relation, ...]) -> frozenset[str]:
    """The sources upstream of a step, without those that it only reads through static inputs."""
    static = OPERATORS[op].static_inputs(checked.bound) if checked.bound is not None else frozenset[int]()
    return frozenset[str]().union(*(source.sources for at, source in enumerate(inputs) if at not in static))


def _store_relations(draft: Draft, name: str, checked: StepCheck[Any], sources: frozenset[str]) -> None:
    incomplete = name in draft.parsed.incomplete
    ports = {f"{name}.{port}": flow for port, flow in checked.ports.items()}
    for key, flow in {name: checked.output, **ports}.items():
        draft.relations[key] = replace(
            flow, has_unknown_fields=flow.has_unknown_fields or incomplete, sources=sources
        )
    draft.named_outputs[name] = list(ports)


def _find(draft: Draft, reference: str, path: DocumentPath) -> Relation:
    """The relation of ``node`` or ``node.port``. Otherwise UNKNOWN_RELATION, with a problem unless an earlier
    one is the cause.
    """
    name = node_of(reference)
    if name not in draft.relations:
        return UNKNOWN_RELATION
    if name == reference and name in draft.only_ports:
        message, names = f"{name} has only named outputs.", draft.ports(name)
    elif reference in draft.relations:
        return draft.relations[reference]
    else:
        message, names = f"{name} has no output {reference.partition('.')[2][:80]!r}.", draft.ports(name)
    if name not in draft.parsed.incomplete:
        hint = (
            _MALFORMED
            if reference == f"{name}.malformed"
            else nearest(reference, names) or f"Use {name} alone."
        )
        draft.problems.append(problem("INPUT_COUNT", path, message, hint))
    return UNKNOWN_RELATION


def source_relation(name: str, contract: StreamContract | None) -> Relation:
    """The rows of a source of a contract; unknown fields without one."""
    if contract is None:
        return UNKNOWN_RELATION
    if contract.kind == "table":
        table = Relation(
            contract.schema_of_rows,
            kind="upsert",
            identity=contract.key,
            identity_kind="key",
            newest_by=contract.version_by,
        )
        return replace(table, sources=frozenset((name,)))
    names = frozenset((name,))
    return Relation(contract.schema_of_rows, sources=names, row_sources=names)
