"""Pass: every node is checked against what flows into it."""

from dataclasses import replace
from typing import Any, Final

from jobs.base.budget import OverBudget
from jobs.base.problems import DocumentPath, problem
from jobs.operators import OPERATORS
from jobs.operators.output_fields import nearest
from jobs.operators.relation import Relation, StepCheck
from jobs.plan.draft import UNKNOWN_RELATION, Draft, node_of

_SMALLER: Final = (
    "Use fewer or shorter expressions and fewer fields, or split the job in two with a topic in between."
)
_MALFORMED: Final = (
    "Jobs read only valid records. Contract validation of a stream keeps malformed ones as dead letters."
)


def check(draft: Draft) -> None:
    """All problems of operators; fills relations and bounds. Errors upstream of a step do not keep it from
    being checked.

    INPUT_COUNT for a named output that a node does not have, and for reading a step that has named outputs
    only; DOCUMENT_TOO_LARGE for the step at which the budget of the document ends.
    """
    over = False
    for name in draft.order:
        if name in draft.document.sources:
            draft.relations[name] = _source_relation(draft, name)
        elif over:
            draft.relations[name] = UNKNOWN_RELATION
        else:
            over = not _checked_within_budget(draft, name)
    for name, output in draft.document.outputs.items():
        _find(draft, output.input, ("outputs", name, "input"))


def _checked_within_budget(draft: Draft, name: str) -> bool:
    """False when the step is the one at which the document becomes too large; what is downstream is not
    checked.
    """
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
    read = [
        (parameter, reference) for parameter, reference in step.inputs() if reference in draft.inputs[name]
    ]
    inputs = tuple(
        _find(draft, reference, ("steps", name, *parameter.split("."))) for parameter, reference in read
    )
    missing = len(step.inputs()) - len(inputs)
    checked = OPERATORS[step.op].check(step, (*inputs, *(UNKNOWN_RELATION,) * missing), ("steps", name))
    draft.problems += checked.problems
    _store_relations(draft, name, checked, _streaming_sources(step.op, checked, inputs))
    if checked.only_ports:
        draft.only_ports.add(name)
    if checked.bound is not None and name not in draft.parsed.incomplete and not missing:
        draft.bounds[name] = checked.bound


def _streaming_sources(op: str, checked: StepCheck[Any], inputs: tuple[Relation, ...]) -> frozenset[str]:
    """The sources upstream of a step, without those that it reads as a static table only."""
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
    """The relation of ``node`` or ``node.port``; UNKNOWN_RELATION with a problem, or without where one was
    found before.
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


def _source_relation(draft: Draft, name: str) -> Relation:
    contract = draft.contracts.get(name)
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
    return Relation(contract.schema_of_rows, sources=frozenset((name,)))
