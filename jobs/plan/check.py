"""Pass: every node is checked against what flows into it."""

from dataclasses import replace

from jobs.operators import OPERATORS
from jobs.operators.relation import Relation
from jobs.plan.draft import OPEN, Draft


def check(draft: Draft) -> None:
    """All problems of operators; fills relations and bounds. Errors above a step do not keep it from being checked."""
    for name in draft.order:
        if name in draft.document.sources:
            draft.relations[name] = _source_relation(draft, name)
            continue
        step = draft.document.steps[name]
        inputs = tuple(draft.relations[upstream] for upstream in draft.inputs[name]) or (OPEN,)
        checked = OPERATORS[step.op].check(step, inputs, ("steps", name))
        draft.problems += checked.problems
        doubtful = name in draft.reading.doubtful
        draft.relations[name] = replace(checked.output, open=True) if doubtful else checked.output
        if checked.bound is not None and not doubtful:
            draft.bounds[name] = checked.bound


def _source_relation(draft: Draft, name: str) -> Relation:
    contract = draft.contracts.get(name)
    return OPEN if contract is None else Relation(contract.schema_of_rows)
