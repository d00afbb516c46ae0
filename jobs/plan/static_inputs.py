"""Pass: find the streaming nodes and the static ones, which are read once, when the query starts
(`docs/semantics/table-join.md#broadcast`).
"""

from collections.abc import Collection, Iterable

from jobs.operators import OPERATORS
from jobs.plan.draft import Draft, node_of


def split_inputs(draft: Draft) -> None:
    """Fill `streaming` and `static`; a table may be both. Of a document with errors all live nodes are
    streaming.
    """
    draft.streaming = draft.live
    if not draft.valid:
        return
    draft.streaming, draft.static = inputs_of(
        draft, [output.input for output in draft.document.outputs.values()]
    )


def inputs_of(
    draft: Draft, references: Iterable[str], given: Collection[str] = ()
) -> tuple[frozenset[str], frozenset[str]]:
    """The streaming and the static nodes that these references are computed from.

    Rows of `given` references come through an exchange, so their nodes, and what is upstream, are left out.
    """
    streaming: set[str] = set()
    static: set[str] = set()
    waiting = [(reference, streaming) for reference in references]
    while waiting:
        reference, reached = waiting.pop()
        name = node_of(reference)
        if name in reached or reference in given:
            continue
        reached.add(name)
        if name in draft.document.steps:
            indexes = static_input_indexes(draft, name)
            waiting += [
                (upstream, static if at in indexes else reached)
                for at, upstream in enumerate(draft.inputs[name])
            ]
    return frozenset(streaming), frozenset(static)


def static_input_indexes(draft: Draft, step: str) -> frozenset[int]:
    """Indexes of a step's static inputs."""
    return OPERATORS[draft.document.steps[step].op].static_inputs(draft.bounds[step])
