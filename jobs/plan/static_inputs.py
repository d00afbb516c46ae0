"""Pass: what flows in the query, and what is read once, as a copy, when it starts (`docs/semantics/table-join.md#broadcast`)."""

from collections.abc import Collection, Iterable

from jobs.operators import OPERATORS
from jobs.plan.draft import Draft, node_of


def copies(draft: Draft) -> None:
    """Fills flowing and copied of a sound document; a table may be both."""
    draft.flowing = draft.live
    if not draft.sound:
        return
    draft.flowing, draft.copied = flows(draft, [output.input for output in draft.document.outputs.values()])


def flows(draft: Draft, references: Iterable[str], given: Collection[str] = ()) -> tuple[frozenset[str], frozenset[str]]:
    """Of what these references are made from: the nodes whose rows flow, and those that are copied.

    The rows of `given` references come from elsewhere: what they are made from does not count.
    """
    flowing: set[str] = set()
    copied: set[str] = set()
    waiting = [(reference, flowing) for reference in references]
    while waiting:
        reference, reached = waiting.pop()
        name = node_of(reference)
        if name in reached or reference in given:
            continue
        reached.add(name)
        if name in draft.document.steps:
            places = copied_places(draft, name)
            waiting += [(upstream, copied if at in places else reached) for at, upstream in enumerate(draft.inputs[name])]
    return frozenset(flowing), frozenset(copied)


def copied_places(draft: Draft, step: str) -> frozenset[int]:
    """Places of a step's inputs that are read once."""
    return OPERATORS[draft.document.steps[step].op].copies(draft.bounds[step])
