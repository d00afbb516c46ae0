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

What all that reads a step reads of it together is the meaning of its state. Where one of the step's states
holds less, because a group of outputs reads less of a join or a change, that is covered, too
(`jobs.plan.state_copies`).

The base fingerprint is the same without the measures of aggregates, which stored state can be adapted to
(`jobs.engine.checkpoints`). A measure that another stateful step depends on is part of that step's meaning.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from jobs.base.types import type_text
from jobs.formats.contract import StreamContract
from jobs.formats.value_meaning import value_meanings
from jobs.operators import OPERATORS
from jobs.operators.field_digests import FieldDigests, digest, same_meanings
from jobs.operators.late_rows import PORT
from jobs.operators.requirements import APPEND_ONLY
from jobs.operators.state_copies import StateRead
from jobs.operators.stored_state import StateContext
from jobs.plan.column_pruning import reads_of
from jobs.plan.draft import Draft, node_of
from jobs.plan.exchanges import modes_of
from jobs.plan.field_digests import digest_fields, read_paths
from jobs.plan.model import StateSignature
from jobs.plan.queries import Exchange, Query, QueryName
from jobs.plan.state_copies import StateCopy, copies_of, read_by_all
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
    whole_rows: set[str] = set()
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
            if stored.whole_rows:
                whole_rows.add(name)
            if stored.measures is not None:
                measures[name] = stored.measures
        elif operator.meanings is not same_meanings:
            made[name] = frozenset(digests.fields[name].values())
    layouts = _layouts(draft, list(stateful))
    copies = copies_of(draft, whole_rows)
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
        kept_measures={name: _measures_by_copy(draft, digests, name, copies) for name in measures},
        copies=[
            [at, *kept]
            for at, copy in enumerate(copies)
            if (kept := _kept(draft, digests, copy.step, copy.left))
            != _kept(draft, digests, copy.step, replace(read_by_all(draft, copy.step), left_out=()))
        ],
    )
    is_final = _is_final(draft, could_update)
    draft.fingerprint = _digest(draft, draft.state, stateful, is_final=is_final)
    without = {
        name: {part: value for part, value in meaning.items() if part != "measures" or name not in measures}
        for name, meaning in stateful.items()
    }
    fixed = _fixed(draft, digests, copies, copies_of(draft, whole_rows, measures=False))
    draft.base_fingerprint = _digest(draft, draft.state, without, fixed, is_final=is_final)


def _digest(
    draft: Draft,
    state: StateSignature,
    stateful: Mapping[str, Any],
    fixed: Sequence[Any] = (),
    *,
    is_final: bool,
) -> str:
    policy = draft.document.settings.watermark
    parts = [*_state_parts(state, stateful), *_layout_parts(draft, state, is_final=is_final)]
    parts += [{name: kept} for name, kept in (("copies", state.copies), ("fixed", fixed)) if kept]
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


def _kept(draft: Draft, digests: FieldDigests, name: str, left: StateRead) -> list[Any]:
    """The fields that a step's state holds, by input, and what it holds twice.

    Of fields that it may leave out also those that it does not, where it leaves out others of their type:
    Spark tells stored rows by types alone, and refuses those of other types.
    """
    meanings = [digests.fields[reference] for reference in draft.inputs[name]]
    schemas = [draft.relations[reference].schema for reference in draft.inputs[name]]
    kept = [
        [[meaning[field.name], type_text(field.type)] for field in schema if field.name in names]
        for meaning, schema, names in zip(meanings, schemas, left.kept, strict=False)
    ]
    twice = [meanings[0][name] for name in left.twice]
    beside = []
    for meaning, schema, out, spare in zip(meanings, schemas, left.left_out, left.spare, strict=False):
        types = {field.type for field in schema if field.name in out}
        names = [field.name for field in schema if field.name in spare - out and field.type in types]
        beside.append([meaning[name] for name in names])
    return [*kept, *([twice] if twice else []), *([beside] if any(beside) else [])]


def _measures_by_copy(
    draft: Draft, digests: FieldDigests, name: str, copies: Sequence[StateCopy]
) -> list[frozenset[str]]:
    """The names of the measures that each state of an aggregate keeps, in order."""
    context = _context(draft, digests, name)
    stored = [
        OPERATORS[draft.document.steps[name].op].stored_state(
            draft.bounds[name], replace(context, needed=copy.read.fields)
        )
        for copy in copies
        if copy.step == name
    ]
    return [frozenset(one.measures or ()) for one in stored if one is not None]


def _fixed(
    draft: Draft, digests: FieldDigests, copies: Sequence[StateCopy], without: Sequence[StateCopy]
) -> list[Any]:
    """What states that can't be adapted hold of measures, beyond what the meanings of their steps say: those
    of a change beside its aggregate; and keys, fields of its condition and identities in the rows of a join.

    Args:
        draft: without errors.
        digests: of its fields.
        copies: the states of the plan.
        without: the same as if aggregates had no measures.
    """
    found: list[Any] = []
    for at, (copy, other) in enumerate(zip(copies, without, strict=True)):
        inputs = draft.inputs[copy.step]
        if OPERATORS[draft.document.steps[copy.step].op].computes_input:
            kept = [] if draft.only_compared(inputs[0]) else _kept(draft, digests, copy.step, copy.left)
        elif copy.left.kept:
            sides = zip(inputs, copy.left.left_out, other.left.left_out, strict=True)
            kept = [sorted(digests.fields[side][name] for name in less - out) for side, out, less in sides]
            kept += ["identity"] if copy.read.identity and not other.read.identity else []
        else:
            continue
        if any(kept):
            found.append([at, *kept])
    return found


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


def _layouts(draft: Draft, stateful: list[str]) -> dict[QueryName, list[str]]:
    """By query its sources and stateful steps in Spark's order: it identifies both by position only.

    A node or exchange upstream of two groups of outputs, or of two inputs of a step, is listed twice: Spark
    reads such a source twice, and does not resume a checkpoint with another number of sources.
    """
    found: dict[QueryName, list[str]] = {}
    for query in draft.queries:
        given = {exchange.reference: f"exchange {exchange.number}" for exchange in query.exchange_in}
        found[query.name] = []
        for group in query.groups:
            _visit(draft, group.root, stateful, found[query.name], given)
    names = _names_of_state(stateful, [reference for listed in found.values() for reference in listed])
    return {
        query: [names.get(reference, reference) for reference in listed] for query, listed in found.items()
    }


def _names_of_state(stateful: list[str], listed: list[str]) -> dict[str, str]:
    """By reference the name of a step's state in layouts, and of the operator of its late rows. Where that
    operator stands once and behind all of the step, it has the step's name: that it is there is part of the
    step's meaning.
    """
    names: dict[str, str] = {}
    for at, name in enumerate(stateful):
        late = f"{name}.{PORT}"
        of_step = [reference for reference in listed if reference in (name, late)]
        names[name] = f"step {at}"
        names[late] = f"late rows of step {at}" if late in of_step[:-1] else f"step {at}"
    return names


def _visit(
    draft: Draft, reference: str, stateful: list[str], found: list[str], given: Mapping[str, str]
) -> None:
    name, _, port = reference.partition(".")
    if reference in given:
        found.append(given[reference])
        return
    static = static_input_indexes(draft, name) if name in draft.document.steps else frozenset[int]()
    for at, upstream in enumerate(draft.inputs.get(name, ())):
        if at not in static:
            _visit(draft, upstream, stateful, found, given)
    if name in stateful and port == PORT:
        found.append(reference)
    elif name in draft.document.sources or name in stateful:
        found.append(name)
