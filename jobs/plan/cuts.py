"""Where a document is cut, when a step that writes its results again reads, from near or far, one that gives each result once.

The rows that pass a cut must never be late behind it: what reads them knows the watermark of the stage that has made them,
and repeats of them are told from others only until it is past. So a cut lies behind a step that refuses late rows, with
nothing but that step's rows in it; whatever mixes them with rows of sources stands with the step that reads them.
"""

from collections.abc import Iterable

from jobs.operators import OPERATORS
from jobs.operators.requirements import APPEND_ONLY, UPDATE_ONLY, OutputMode
from jobs.plan.draft import Draft, node_of
from jobs.plan.queries import Cut
from jobs.plan.static_inputs import copied_places


def cuts_above(draft: Draft, roots: Iterable[str]) -> tuple[Cut, ...]:
    """The cuts above outputs that no single query can compute.

    Args:
        draft: sound.
        roots: references that such outputs are made of.
    """
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        reference = waiting.pop()
        if reference in seen:
            continue
        seen.add(reference)
        if _rows_are_final(draft, reference):
            found.add(reference)
        elif node_of(reference) in draft.document.steps:
            waiting += _flowing_inputs(draft, node_of(reference))
    ordered = sorted(found, key=lambda reference: (draft.order.index(node_of(reference)), reference))
    return tuple(Cut(number, reference) for number, reference in enumerate(ordered))


def modes_of(draft: Draft, step: str) -> frozenset[OutputMode]:
    """The output modes of the queries in which a sound step can stand."""
    return OPERATORS[draft.document.steps[step].op].output_modes(draft.bounds[step])


def _rows_are_final(draft: Draft, reference: str) -> bool:
    """No query in update mode can make these rows, one in append mode can, and none of them is late."""
    above = [name for name in draft.reached([reference]) if name in draft.document.steps]
    modes = [modes_of(draft, name) for name in above]
    return APPEND_ONLY in modes and UPDATE_ONLY not in modes and _punctual(draft, reference)


def _punctual(draft: Draft, reference: str) -> bool:
    """Whether every row trails the watermark by the relation's slack at most: late rows were refused above."""
    name = node_of(reference)
    if name not in draft.document.steps or draft.relations[reference].late_rows:
        return False
    operator = OPERATORS[draft.document.steps[name].op]
    facts = [above for above in _flowing_inputs(draft, name) if draft.relations[above].kind == "append"]  # tables give no times
    return operator.late(draft.bounds[name]) or all(_punctual(draft, above) for above in facts)


def _flowing_inputs(draft: Draft, step: str) -> list[str]:
    copied = copied_places(draft, step)
    return [reference for at, reference in enumerate(draft.inputs[step]) if at not in copied]
