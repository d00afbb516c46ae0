"""Pass: the state fingerprint. While it stays the same, a new version continues the generation.

See `docs/semantics/restarts-and-versions.md#generations`.

It covers, of the nodes that outputs depend on: names, streams, event-time rules and delays of sources, keys
and `version_by` of tables, and the watermark policy; of every stateful step its lowering revision, window,
slack, keys and, in order, the measures that something reads, with every expression traced to source fields,
to where each is read from and how its encoding reads it (`jobs.formats.value_meaning`);
the kind and identity of the result, with the names of a union's inputs that it begins with, because a
generation's result topic holds one kind of identity, and a batch that is repeated would write its rows a
second time under another; the state format; how often and in which order sources are read; whether a query
gives final results, where nothing else tells; the event time of a join's pairs that windows, joins and
exchanges downstream go by; with two queries, which state each keeps and which rows pass the exchange.

It does not cover the names of the job, steps, measures, keys and outputs; other settings and the engine;
filters (rows already counted stay counted, and the new condition applies to later rows); stateless steps
whose fields no state depends on. The number of state partitions is chosen when a generation begins and kept
with it.

The base fingerprint is the same without the measures of aggregates, which stored state can be adapted to
(`jobs.engine.checkpoints`). A measure that another stateful step depends on is part of that step's meaning.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from jobs.base.types import type_text
from jobs.formats.contract import StreamContract
from jobs.formats.value_meaning import value_meanings
from jobs.operators import OPERATORS
from jobs.operators.field_digests import FieldDigests, digest, same_meanings
from jobs.operators.late_rows import PORT
from jobs.operators.requirements import APPEND_ONLY
from jobs.operators.stored_state import StateContext
from jobs.plan.column_pruning import reads_of
from jobs.plan.draft import Draft, node_of
from jobs.plan.exchanges import modes_of
from jobs.plan.field_digests import digest_fields, read_paths
from jobs.plan.model import StateSignature
from jobs.plan.queries import Exchange, Query
from jobs.plan.static_inputs import static_input_indexes

FINGERPRINT_FORMAT: Final = 1
STATE_FORMAT: Final = "rocksdb-changelog, checkpoint format 2"
EXCHANGE_REVISION: Final = 1
"""Raised when the lowering of exchanges changes what waiting rows or stored identities mean."""


def fingerprint(draft: Draft) -> None:
    """Fill the state and fingerprint of a document without errors."""
    if not draft.valid:
        return
    digests = digest_fields(draft)
    stateful: dict[str, Any] = {}
    measures: dict[str, Mapping[str, str]] = {}
    could_update: set[str] = set()
    read: set[str] = set()
    made = {name: frozenset(digests.fields[name].values()) for name in draft.streaming_sources()}
    for name in draft.live_steps():
        operator = OPERATORS[draft.document.steps[name].op]
        stored = operator.stored_state(draft.bounds[name], _context(draft, digests, name))
        if stored is not None:
            revision = {"op": operator.name, "revision": operator.lowering_revision}
            stateful[name] = {**revision, **stored.meaning}
            read |= stored.read
            if stored.could_update:
                could_update.add(name)
            if stored.measures is not None:
                measures[name] = stored.measures
        elif operator.meanings is not same_meanings:
            made[name] = frozenset(digests.fields[name].values())
    layouts = {query.name: _layout(draft, query, list(stateful)) for query in draft.queries}
    draft.state = StateSignature(
        sources={name: _source(draft, name) for name in draft.streaming_sources()},
        stateful=stateful,
        result=_result(draft),
        queries=layouts,
        exchanged_fields=[
            _exchange(draft, digests, query, exchange)
            for query in draft.queries
            for exchange in query.exchange_in
        ],
        read=digests.closure(read),
        made=made,
        measures=measures,
    )
    is_final = _is_final(draft, could_update)
    draft.fingerprint = _digest(draft, draft.state, stateful, is_final=is_final)
    without = {
        name: {part: value for part, value in meaning.items() if part != "measures" or name not in measures}
        for name, meaning in stateful.items()
    }
    draft.base_fingerprint = _digest(draft, draft.state, without, is_final=is_final)


def _digest(draft: Draft, state: StateSignature, stateful: Mapping[str, Any], *, is_final: bool) -> str:
    policy = draft.document.settings.watermark
    parts = [*_state_parts(state, stateful), *_layout_parts(draft, state, is_final=is_final)]
    return digest(parts if policy == "min" else [*parts, policy])


def _state_parts(state: StateSignature, stateful: Mapping[str, Any]) -> list[Any]:
    return [
        FINGERPRINT_FORMAT,
        STATE_FORMAT,
        sorted(state.sources.items()),
        list(stateful.values()),
        state.result,
    ]


def _layout_parts(draft: Draft, state: StateSignature, *, is_final: bool) -> list[Any]:
    """The layout of the queries; empty for the plain one, a query of one source and its stateful steps in
    order.
    """
    layouts = state.queries
    if len(layouts) > 1:
        return [list(layouts.items()), *state.exchanged_fields]
    plain = [*draft.streaming_sources()[:1], *(f"step {at}" for at in range(len(state.stateful)))]
    layout = next(iter(layouts.values()))
    return [*([] if layout == plain else [layout]), *(["final results"] if is_final else [])]


def _is_final(draft: Draft, could_update: set[str]) -> bool:
    """True where all that distinguishes the state is that results are kept until they are final: a query that
    updates them, over the same state, would not write those that no row touches any more.

    Where the result shows them its kind tells, and where something else needs final results there would be
    two queries.

    Args:
        draft: without errors.
        could_update: the steps whose final results are a choice.
    """
    final = {name for name in draft.live_steps() if modes_of(draft, name) == APPEND_ONLY}
    feeds_state = any(
        final & draft.reached(draft.inputs[name])
        for name in draft.live_steps()
        if draft.keeps_state(name) and not OPERATORS[draft.document.steps[name].op].computes_input
    )
    shown = _references_above(draft, [sink.reference for sink in draft.sinks if sink.topic is None])
    return (
        bool(final & draft.live_references())
        and final <= could_update
        and not feeds_state
        and not final & shown
    )


def _references_above(draft: Draft, references: Iterable[str]) -> set[str]:
    """These references and all that their rows are made of."""
    found: set[str] = set()
    waiting = list(references)
    while waiting:
        reference = waiting.pop()
        if reference not in found:
            found.add(reference)
            waiting += draft.inputs.get(node_of(reference), ())
    return found


def _source(draft: Draft, name: str) -> dict[str, Any]:
    contract = draft.contracts[name]
    event_time = _event_time(contract)
    meaning = {
        "stream": draft.document.sources[name].registered,
        "event_time": event_time,
        "delay": contract.delay_duration.us,
    }
    if contract.kind == "table":
        delay = contract.delay_duration.us if contract.delay is not None else None
        return {
            **meaning,
            "delay": delay,
            "table": {"key": list(contract.key), "version_by": contract.version_by},
        }
    return meaning


def _event_time(contract: StreamContract) -> dict[str, Any]:
    """The event-time rule, with the paths of its fields and how they are read instead of their names."""
    if contract.event_time.kind == "kafka_timestamp":
        return {"kind": "kafka_timestamp"}
    paths, meanings = read_paths(contract), value_meanings(contract)
    rule: dict[str, Any] = contract.event_time.model_dump(mode="json", exclude_none=True)
    for part in (rule, *(rule[clock] for clock in ("device", "sent", "received") if clock in rule)):
        if "field" in part:
            name = part["field"]
            read_as = [*_unusual_type(contract, part), *meanings[name]]
            part["field"] = [paths[name], *read_as] if read_as else paths[name]
    return rule


def _unusual_type(contract: StreamContract, part: Mapping[str, Any]) -> list[str]:
    """The type of the field that holds an instant, where the rule alone does not say how it is read."""
    type_ = next(field.type for field in contract.fields if field.name == part["field"])
    if part.get("unit"):
        usual = {"int", "long", "double"} if part["unit"] != "ns" else {"int", "long"}
    else:
        usual = {"string"} if part.get("format") else {"timestamp"}
    is_plain = contract.format == "json" and type_ in usual
    return [] if is_plain else [type_]


def _context(draft: Draft, digests: FieldDigests, name: str) -> StateContext:
    """What a step's stored state depends on outside the step."""
    return StateContext(
        digests=digests,
        inputs=draft.inputs[name],
        relations=tuple(draft.relations[reference] for reference in draft.inputs[name]),
        reads=reads_of(draft, name, draft.needed),
        needed=draft.needed[name],
        only_compared=draft.only_compared(name),
        late_port=f"{name}.{PORT}" in draft.live_references(),
    )


def _result(draft: Draft) -> list[Any]:
    """Kind and identity of the result. Other outputs do not count: their topics outlive the generation."""
    results = [draft.relations[sink.reference] for sink in draft.sinks if sink.topic is None]
    return [
        [
            relation.kind,
            relation.identity_kind,
            len(relation.identity),
            relation.index_depth,
            # Of a pair it is part of the join's state.
            *([relation.inner_layouts] if relation.identity_kind == "union" else []),
        ]
        for relation in results
    ]


def _exchange(draft: Draft, digests: FieldDigests, query: Query, exchange: Exchange) -> dict[str, Any]:
    """The meaning of an exchange's rows: those not read yet are state, JSON objects with field names.

    The reading query also stores the identity and time of the rows that it has seen.
    """
    relation = draft.relations[exchange.reference]
    meaning = digests.fields[exchange.reference]
    fields = [field for field in relation.schema if field.name in draft.exchanged_fields[exchange.reference]]
    time = digests.chosen_time(exchange.reference)
    spark_slack = query.spark_slacks.get(exchange.reference, relation.spark_slack)
    return {
        "revision": EXCHANGE_REVISION,
        "fields": [[field.name, meaning[field.name], type_text(field.type)] for field in fields],
        "identity": [
            relation.identity_kind,
            len(relation.identity),
            [type_text(index_type) for index_type in relation.index_types],
            # A batch that is repeated must be known by what it was written under before.
            *([relation.inner_layouts] if relation.identity_kind == "union" else []),
        ],
        "slack": [relation.slack.us, spark_slack.us],
        **({"time": time} if time is not None else {}),
    }


def _layout(draft: Draft, query: Query, stateful: list[str]) -> list[str]:
    """Sources and stateful steps of a query in Spark's order: it identifies both by position only.

    A node or exchange upstream of two groups of outputs, or of two inputs of a step, is listed twice: Spark
    reads such a source twice, and does not resume a checkpoint with another number of sources.
    """
    found: list[str] = []
    given = {exchange.reference: f"exchange {exchange.number}" for exchange in query.exchange_in}
    for group in query.groups:
        _visit(draft, group.root, stateful, found, given)
    return [f"step {stateful.index(name)}" if name in stateful else name for name in found]


def _visit(
    draft: Draft, reference: str, stateful: list[str], found: list[str], given: Mapping[str, str]
) -> None:
    name = node_of(reference)
    if reference in given:
        found.append(given[reference])
        return
    static = static_input_indexes(draft, name) if name in draft.document.steps else frozenset[int]()
    for at, upstream in enumerate(draft.inputs.get(name, ())):
        if at not in static:
            _visit(draft, upstream, stateful, found, given)
    if name in draft.document.sources or name in stateful:
        found.append(name)
