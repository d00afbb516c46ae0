"""Pass: which outputs one Spark query computes; where one query cannot compute all of them, the document is split into two.

See `docs/semantics/queries-and-modes.md#two-queries`.

A query in append mode writes each result once, when it can no longer change; a query in update mode writes changed results again.
Outputs that need append mode and outputs that need update mode are computed by two queries over the same sources, each with its
own checkpoint and watermark. A step upstream of both is part of both, and keeps its state in both. An output that needs both modes
gets an exchange (`exchanges`): the append query hands rows to the update query through an internal topic.
"""

from collections.abc import Iterable
from typing import Final

from jobs.operators.requirements import APPEND_ONLY, BOTH_MODES, UPDATE_ONLY, OutputMode
from jobs.plan.draft import Draft
from jobs.plan.exchanges import find_exchanges, modes_of
from jobs.plan.outputs import groups_of
from jobs.plan.queries import Exchange, OutputGroup, Query, Sink
from jobs.plan.static_inputs import inputs_of

_REASONS: Final[dict[OutputMode, str]] = {
    "append": "{} emits final results only, so it needs its own query (append mode).",
    "update": "{} updates results, so it needs its own query (update mode).",
}
_EXCHANGE: Final = " Rows of {} arrive through an internal topic."


def split_queries(draft: Draft) -> None:
    """Fills queries of a valid document: one, or two where outputs need different output modes.

    A query that hands rows to the other comes first; otherwise the one of the result.
    """
    if not draft.valid:
        return
    modes = {group: _modes(draft, group) for group in draft.groups}
    exchanges = find_exchanges(draft, [group.root for group, allowed in modes.items() if not allowed])
    parts: dict[OutputMode, list[OutputGroup]] = {"append": []} if exchanges else {}
    for group, allowed in modes.items():
        if allowed != BOTH_MODES:
            parts.setdefault(next(iter(allowed), "update"), []).append(group)
    if not parts:
        parts["update"] = []
    for group in (group for group, allowed in modes.items() if allowed == BOTH_MODES):
        parts[_nearest(draft, group, parts, exchanges)].append(group)
    found = [_query(draft, mode, groups, exchanges, alone=len(parts) == 1) for mode, groups in parts.items()]
    draft.queries = tuple(sorted(found, key=lambda query: (not query.exchange_out, _first_output(draft, query))))


def _query(draft: Draft, mode: OutputMode, chosen: list[OutputGroup], exchanges: tuple[Exchange, ...], *, alone: bool) -> Query:
    groups = tuple(group for group in draft.groups if group in chosen)
    exchange_in = exchanges if mode == "update" else ()
    given = [exchange.reference for exchange in exchange_in]
    out = [Sink(one.reference, one.reference, None, exchange=one.number) for one in exchanges if mode == "append"]
    references = [sink.reference for group in groups for sink in group.sinks] + [sink.reference for sink in out]
    streaming, static = inputs_of(draft, references, given)
    live = streaming | static
    if out:
        sinks = [*(sink for group in groups for sink in group.sinks), *out]
        groups = groups_of(draft, sinks, [name for name in draft.live_steps() if name in live])
    only = APPEND_ONLY if mode == "append" else UPDATE_ONLY
    deciding = [name for name in draft.live_steps() if name in live and modes_of(draft, name) == only]
    reason = "" if alone else _REASONS[mode].format(" and ".join(deciding))
    if exchange_in:
        reason += _EXCHANGE.format(" and ".join(given))
    return Query(mode, mode, groups, live, streaming, static, reason, exchange_in)


def _first_output(draft: Draft, query: Query) -> int:
    return min((draft.sinks.index(sink) for sink in query.sinks if sink.exchange is None), default=len(draft.sinks))


def _modes(draft: Draft, group: OutputGroup) -> frozenset[OutputMode]:
    """The output modes that every step upstream of the group allows; none where it needs an exchange."""
    upstream = [modes_of(draft, name) for name in draft.reached([group.root]) if name in draft.document.steps]
    return BOTH_MODES.intersection(*upstream)


def _nearest(draft: Draft, group: OutputGroup, parts: dict[OutputMode, list[OutputGroup]], exchanges: tuple[Exchange, ...]) -> OutputMode:
    """Of the queries that can compute a group, the one that shares most state with it, then most sources; the first of equals."""
    upstream = draft.reached([group.root])
    given = [exchange.reference for exchange in exchanges]

    def shared(mode: OutputMode) -> tuple[int, int]:
        roots = [other.root for other in parts[mode]]
        common = upstream & _computed(draft, roots if mode == "update" else [*roots, *given], given if mode == "update" else ())
        steps = [name for name in common if name in draft.document.steps]
        return sum(draft.keeps_state(name) for name in steps), len(common) - len(steps)

    return max(parts, key=shared)


def _computed(draft: Draft, references: Iterable[str], given: Iterable[str]) -> frozenset[str]:
    streaming, static = inputs_of(draft, references, tuple(given))
    return streaming | static
