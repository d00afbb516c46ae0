"""Pass: assign outputs to Spark queries: one, or two where no single query can compute all of them.

See `docs/semantics/queries-and-modes.md#two-queries`.

A query in append mode writes each result once, when it can no longer change; a query in update mode writes
changed results again. Outputs that need append mode and outputs that need update mode are computed by two
queries over the same sources, each with its own checkpoint and watermark. A step upstream of both is part of
both, and keeps its state in both. An output that needs both modes gets an exchange (`exchanges`): the append
query hands rows to the update query through an internal topic.
"""

from collections.abc import Iterable
from typing import Final

from jobs.operators.requirements import APPEND_ONLY, BOTH_MODES, UPDATE_ONLY, OutputMode
from jobs.plan.draft import Draft
from jobs.plan.exchanges import find_exchanges, modes_of, spark_slacks
from jobs.plan.outputs import groups_of
from jobs.plan.queries import Exchange, OutputGroup, Query, Sink
from jobs.plan.static_inputs import inputs_of

_REASONS: Final[dict[OutputMode, str]] = {
    "append": "{} emits final results only, so it needs its own query (append mode).",
    "update": "{} updates results, so it needs its own query (update mode).",
}
_EXCHANGE: Final = " Rows of {} arrive through an internal topic."


def split_queries(draft: Draft) -> None:
    """Fill the queries of a valid document: one, or two where outputs need different output modes.

    A query that hands rows to the other comes first; otherwise the one that computes the first output.
    """
    if not draft.valid:
        return
    modes = {group: _modes(draft, group) for group in draft.groups}
    exchanges = find_exchanges(draft, [group.root for group, allowed in modes.items() if not allowed])
    parts = _groups_by_mode(draft, modes, exchanges)
    found = [_query(draft, mode, groups, exchanges, alone=len(parts) == 1) for mode, groups in parts.items()]
    draft.queries = tuple(
        sorted(found, key=lambda query: (not query.exchange_out, _first_output(draft, query)))
    )


def _groups_by_mode(
    draft: Draft, modes: dict[OutputGroup, frozenset[OutputMode]], exchanges: tuple[Exchange, ...]
) -> dict[OutputMode, list[OutputGroup]]:
    """The groups that each query computes. Groups that only one mode can compute decide which queries exist;
    the others join one of these.
    """
    parts: dict[OutputMode, list[OutputGroup]] = {"append": []} if exchanges else {}
    for group, allowed in modes.items():
        if allowed != BOTH_MODES:
            parts.setdefault(next(iter(allowed), "update"), []).append(group)
    if not parts:
        parts["update"] = []
    for group in (group for group, allowed in modes.items() if allowed == BOTH_MODES):
        parts[_nearest(draft, group, parts, exchanges)].append(group)
    return parts


def _query(
    draft: Draft, mode: OutputMode, chosen: list[OutputGroup], exchanges: tuple[Exchange, ...], *, alone: bool
) -> Query:
    """The query of an output mode. The append query writes exchanged rows as further outputs; the update
    query reads them instead of computing what is upstream.
    """
    groups = tuple(group for group in draft.groups if group in chosen)
    exchange_in, exchange_out = (exchanges, []) if mode == "update" else ((), _exchange_sinks(exchanges))
    given = [exchange.reference for exchange in exchange_in]
    sinks = [*_sinks_of(groups), *exchange_out]
    streaming, static = inputs_of(draft, [sink.reference for sink in sinks], given)
    live = streaming | static
    steps = [name for name in draft.live_steps() if name in live]
    if exchange_out:
        groups = groups_of(draft, sinks, steps)
    reason = ("" if alone else _mode_reason(draft, mode, steps)) + _exchange_reason(given)
    slacks = spark_slacks(draft, given, steps) if _reads_time(draft, streaming) else {}
    return Query(mode, mode, groups, live, streaming, static, reason, exchange_in, slacks)


def _reads_time(draft: Draft, streaming: frozenset[str]) -> bool:
    """Whether a source of the query has a watermark."""
    return any(
        draft.contracts[name].delay is not None or source.delay is not None
        for name, source in draft.document.sources.items()
        if name in streaming
    )


def _sinks_of(groups: tuple[OutputGroup, ...]) -> list[Sink]:
    return [sink for group in groups for sink in group.sinks]


def _exchange_sinks(exchanges: tuple[Exchange, ...]) -> list[Sink]:
    return [Sink(one.reference, one.reference, None, exchange=one.number) for one in exchanges]


def _exchange_reason(given: list[str]) -> str:
    return _EXCHANGE.format(" and ".join(given)) if given else ""


def _mode_reason(draft: Draft, mode: OutputMode, steps: list[str]) -> str:
    """The reason for a query: the steps that allow only its output mode."""
    only = APPEND_ONLY if mode == "append" else UPDATE_ONLY
    return _REASONS[mode].format(" and ".join(name for name in steps if modes_of(draft, name) == only))


def _first_output(draft: Draft, query: Query) -> int:
    return min(
        (draft.sinks.index(sink) for sink in query.sinks if sink.exchange is None), default=len(draft.sinks)
    )


def _modes(draft: Draft, group: OutputGroup) -> frozenset[OutputMode]:
    """The output modes that all steps upstream of the group allow; empty where it needs an exchange."""
    upstream = [modes_of(draft, name) for name in draft.reached([group.root]) if name in draft.document.steps]
    return BOTH_MODES.intersection(*upstream)


def _nearest(
    draft: Draft,
    group: OutputGroup,
    parts: dict[OutputMode, list[OutputGroup]],
    exchanges: tuple[Exchange, ...],
) -> OutputMode:
    """The query that shares most stateful steps with the group, then most sources; the first of equals."""
    upstream = draft.reached([group.root])
    given = [exchange.reference for exchange in exchanges]

    def shared(mode: OutputMode) -> tuple[int, int]:
        roots = [other.root for other in parts[mode]]
        common = upstream & _computed(
            draft, roots if mode == "update" else [*roots, *given], given if mode == "update" else ()
        )
        steps = [name for name in common if name in draft.document.steps]
        return sum(draft.keeps_state(name) for name in steps), len(common) - len(steps)

    return max(parts, key=shared)


def _computed(draft: Draft, references: Iterable[str], given: Iterable[str]) -> frozenset[str]:
    streaming, static = inputs_of(draft, references, tuple(given))
    return streaming | static
