"""Pass: what flows in the query, and what is read once, as a copy, when it starts (`semantics.md` 4.15)."""

from collections.abc import Iterable

from jobs.operators import OPERATORS
from jobs.plan.draft import Draft, node_of


def copies(draft: Draft) -> None:
    """Fills flowing and copied of a sound document; a table may be both."""
    draft.flowing = draft.live
    if not draft.sound:
        return
    draft.flowing, draft.copied = flows(draft, [output.input for output in draft.document.outputs.values()])


def flows(draft: Draft, references: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Of what these references are made from: the nodes whose rows flow, and those that are copied."""
    flowing: set[str] = set()
    copied: set[str] = set()
    waiting = [(node_of(reference), flowing) for reference in references]
    while waiting:
        name, reached = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        if name in draft.document.steps:
            places = OPERATORS[draft.document.steps[name].op].copies(draft.bounds[name])
            waiting += [(node_of(reference), copied if at in places else reached) for at, reference in enumerate(draft.inputs[name])]
    return frozenset(flowing), frozenset(copied)
