"""Finds the exchanges of a plan: an updating step depends, directly or not, on a step with final results.

Exchanged rows must never be late downstream: the reading query knows only the watermark of the query that
wrote them, and can drop repeated rows only until that watermark has passed them. An exchange therefore
follows a step that drops late rows and carries only that step's rows; a step that mixes them with rows of
sources belongs to the reading query.
"""

from collections.abc import Iterable

from jobs.base.durations import ZERO, Duration
from jobs.operators import OPERATORS
from jobs.operators.requirements import APPEND_ONLY, UPDATE_ONLY, OutputMode
from jobs.plan.draft import Draft, node_of
from jobs.plan.queries import Exchange
from jobs.plan.static_inputs import static_input_indexes


def find_exchanges(draft: Draft, roots: Iterable[str]) -> tuple[Exchange, ...]:
    """The exchanges upstream of outputs that no single query can compute.

    Args:
        draft: without errors.
        roots: the references that these outputs are computed from.
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
            waiting += _streaming_inputs(draft, node_of(reference))
    ordered = sorted(found, key=lambda reference: (draft.order.index(node_of(reference)), reference))
    return tuple(Exchange(number, reference) for number, reference in enumerate(ordered))


def spark_slacks(draft: Draft, given: Iterable[str], steps: Iterable[str]) -> dict[str, Duration]:
    """What Spark holds the watermark back by in a query that reads exchanges and sources: nothing where the
    exchanged rows are read, since the sources' rows have the same watermark; from there on what joins add.

    Args:
        draft: without errors.
        given: references of the exchanges.
        steps: those of the query, in order.

    Returns:
        By reference, of the exchanges and all that is made of their rows.
    """
    found = dict.fromkeys(given, ZERO)
    for name in steps:
        inputs = draft.inputs[name]
        if found.keys().isdisjoint(inputs):
            continue
        alone = max(draft.relations[read].spark_slack for read in inputs)
        held = max(found.get(read, draft.relations[read].spark_slack) for read in inputs)
        for reference in {name, *draft.ports(name)} - found.keys():
            own = draft.relations[reference].spark_slack
            found[reference] = Duration(held.us + own.us - alone.us) if own >= alone else own
    return found


def modes_of(draft: Draft, step: str) -> frozenset[OutputMode]:
    """The output modes of the queries that a valid step can be part of."""
    return OPERATORS[draft.document.steps[step].op].output_modes(draft.bounds[step])


def _rows_are_final(draft: Draft, reference: str) -> bool:
    """Whether only a query in append mode can compute these rows, and none of them is late."""
    upstream = [name for name in draft.reached([reference]) if name in draft.document.steps]
    modes = [modes_of(draft, name) for name in upstream]
    return APPEND_ONLY in modes and UPDATE_ONLY not in modes and _on_time(draft, reference)


def _on_time(draft: Draft, reference: str) -> bool:
    """Whether no row trails the watermark by more than the relation's slack, because upstream steps drop late
    rows.
    """
    name = node_of(reference)
    if name not in draft.document.steps or draft.relations[reference].late_rows:
        return False
    operator = OPERATORS[draft.document.steps[name].op]
    streams = [
        read for read in _streaming_inputs(draft, name) if draft.relations[read].kind == "append"
    ]  # rows take their time from streams, not from tables
    return operator.drops_late_rows(draft.bounds[name]) or all(_on_time(draft, read) for read in streams)


def _streaming_inputs(draft: Draft, step: str) -> list[str]:
    static = static_input_indexes(draft, step)
    return [reference for at, reference in enumerate(draft.inputs[step]) if at not in static]
