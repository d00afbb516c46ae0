"""Pass: a hash over what stored state means. Same hash: the generation goes on; another: a new one begins.

See `docs/semantics/restarts-and-versions.md#generations`.

It covers, of the nodes that the result depends on: source names, streams, event-time rule and delay; of every stateful
step its lowering revision, window, slack, keys and, in order, the measures that something reads, with every expression followed
down to source fields; the kind and identity of the result, because a generation's result topic holds one kind of identity; the
state format; how often and in which order sources are read; where there are several queries, which state each of them
keeps, and which rows one hands to the other.

It does not cover names of the job, steps, measures, keys and outputs, settings and engine, filters (what was counted
stays counted; from now on other rows count), and stateless steps whose fields no state depends on. The number of state
partitions is chosen when a generation begins and kept with it.
"""

from collections.abc import Mapping
from typing import Any, Final

from jobs.base.types import type_text
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.operators.aggregate import AggregateBound
from jobs.operators.change import ChangeBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.join import JoinBound
from jobs.operators.late_rows import PORT
from jobs.operators.latest import LatestBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join import TableJoinBound
from jobs.operators.union import UnionBound
from jobs.plan.column_pruning import reads_of
from jobs.plan.draft import Draft, node_of
from jobs.plan.field_digests import FieldDigests, digest, digest_fields, join_json, measure_json, read_paths, window_json
from jobs.plan.model import StateSignature
from jobs.plan.queries import Exchange, Query
from jobs.plan.static_inputs import static_input_indexes

FINGERPRINT_FORMAT: Final = 1
STATE_FORMAT: Final = "rocksdb-changelog, checkpoint format 2"
EXCHANGE_REVISION: Final = 1
"""Raised when the lowering of exchanges changes what waiting rows or stored identities mean."""


def fingerprint(draft: Draft) -> None:
    """Fills state and fingerprint of a document without errors."""
    if not draft.valid:
        return
    digests, needed = digest_fields(draft), draft.needed
    stateful: dict[str, Any] = {}
    read: set[str] = set()
    for name in draft.live_steps():
        bound = draft.bounds[name]
        if isinstance(bound, AggregateBound):
            stateful[name] = {**_aggregate(draft, digests, name, bound), **_queries(draft, name)}
            read |= _digests(stateful[name])
        elif isinstance(bound, ChangeBound):
            stateful[name] = _change(digests, draft.inputs[name][0], bound)
            read |= set(stateful[name]["of"])
        elif isinstance(bound, JoinBound | TableJoinBound) and draft.keeps_state(name):
            stateful[name] = _join(draft, digests, name, bound, needed)
            read |= {meaning for side in stateful[name]["rows"] for meaning, _ in side}
        elif isinstance(bound, DeduplicateBound):
            stateful[name] = {**_deduplicate(digests, draft.inputs[name][0], bound), **_queries(draft, name)}
            read |= set(stateful[name]["by"])
        elif isinstance(bound, LatestBound):
            stateful[name] = _latest(draft, digests, name, bound, needed)
            read |= {meaning for meaning, _ in stateful[name]["rows"]}
    made = {
        name: frozenset(digests.fields[name].values())
        for name in draft.live_steps()
        if isinstance(draft.bounds[name], ProjectionBound | SplitBound | ExplodeBound | UnionBound | TableJoinBound)
        and name not in stateful
    }
    layouts = {query.name: _layout(draft, query, list(stateful)) for query in draft.queries}
    draft.state = StateSignature(
        sources={name: _source(draft, name) for name in draft.streaming_sources()},
        stateful=stateful,
        result=_result(draft),
        queries=layouts,
        exchanged_fields=[_exchange(draft, digests, exchange) for query in draft.queries for exchange in query.exchange_in],
        read=digests.closure(read),
        made=made,
    )
    parts = [FINGERPRINT_FORMAT, STATE_FORMAT, sorted(draft.state.sources.items()), list(stateful.values()), draft.state.result]
    plain = [*draft.streaming_sources()[:1], *(f"step {at}" for at in range(len(stateful)))]
    if len(layouts) > 1:
        parts.append(list(layouts.items()))
        parts += draft.state.exchanged_fields
    elif (layout := next(iter(layouts.values()))) != plain:
        parts.append(layout)
    policy = draft.document.settings.watermark
    draft.fingerprint = digest(parts if policy == "min" else [*parts, policy])


def _source(draft: Draft, name: str) -> dict[str, Any]:
    contract = draft.contracts[name]
    event_time = _event_time(contract)
    meaning = {"stream": draft.document.sources[name].registered, "event_time": event_time, "delay": contract.delay_duration.us}
    if contract.kind == "table":
        delay = contract.delay_duration.us if contract.delay is not None else None
        return {**meaning, "delay": delay, "table": {"key": list(contract.key), "version_by": contract.version_by}}
    return meaning


def _event_time(contract: StreamContract) -> dict[str, Any]:
    """The rule, with what its fields are read from instead of their names."""
    if contract.event_time.kind == "kafka_timestamp":
        return {"kind": "kafka_timestamp"}
    paths = read_paths(contract)
    rule: dict[str, Any] = contract.event_time.model_dump(mode="json", exclude_none=True)
    for part in (rule, *(rule[clock] for clock in ("device", "sent", "received") if clock in rule)):
        if "field" in part:
            part["field"] = paths[part["field"]]
    return rule


def _aggregate(draft: Draft, digests: FieldDigests, name: str, bound: AggregateBound) -> dict[str, Any]:
    """Spark keeps nothing of a measure that nothing reads; those with a limit are counted, and so read, in any case."""
    upstream, read = draft.inputs[name][0], draft.needed[name]
    kept = [measure for measure in bound.measures if measure.name in read or measure.function == "distinct"]
    return {
        "op": "aggregate",
        "revision": OPERATORS["aggregate"].lowering_revision,
        "window": window_json(bound),
        "slack": bound.slack.us if bound.window else None,
        "by": [[digests.of_expression(upstream, e), type_text(e.type)] for _, e in bound.by],
        "measures": [measure_json(digests, upstream, measure) for measure in kept],
    }


def _queries(draft: Draft, name: str) -> dict[str, Any]:
    """What stands in the query for an aggregate: itself unless only changes of it are read, and what finds its late rows."""
    readers = [draft.document.steps[step].op for step in draft.live_steps() if name in draft.inputs[step]]
    shown = any(output.input == name for output in draft.document.outputs.values())
    found: dict[str, Any] = {}
    if readers and set(readers) == {"change"} and not shown:
        found["only_changes"] = True
    if f"{name}.{PORT}" in draft.live_references():
        found["late_port"] = True
    return found


def _change(digests: FieldDigests, upstream: str, bound: ChangeBound) -> dict[str, Any]:
    """The aggregate it reads stands beside it with window, slack and keys."""
    of = [digests.fields[upstream][changed.measure.name] for changed in bound.changed]
    return {"op": "change", "revision": OPERATORS["change"].lowering_revision, "of": of}


def _join(
    draft: Draft, digests: FieldDigests, name: str, bound: JoinBound | TableJoinBound, needed: dict[str, frozenset[str]]
) -> dict[str, Any]:
    op = draft.document.steps[name].op
    meaning = join_json(digests, draft, name, bound, reads_of(draft, name, needed))
    return {"op": op, "revision": OPERATORS[op].lowering_revision, **meaning}


def _deduplicate(digests: FieldDigests, upstream: str, bound: DeduplicateBound) -> dict[str, Any]:
    """Keys are stored, rows are not."""
    meaning = digests.fields[upstream]
    return {
        "op": "deduplicate",
        "revision": OPERATORS["deduplicate"].lowering_revision,
        "by": [meaning[name] for name in bound.by],
        "within": bound.within.us if bound.within is not None else None,
        "time": meaning["_time"],
        "slack": bound.slack.us,
    }


def _latest(draft: Draft, digests: FieldDigests, name: str, bound: LatestBound, needed: dict[str, frozenset[str]]) -> dict[str, Any]:
    """Whole rows are stored; fields that nothing reads are null in them."""
    upstream = draft.inputs[name][0]
    meaning, schema = digests.fields[upstream], draft.relations[upstream].schema
    (read,) = reads_of(draft, name, needed)
    waits = {"ttl": [bound.ttl.us, bound.slack.us]} if bound.ttl is not None else {}
    return {
        **waits,
        "op": "latest",
        "revision": OPERATORS["latest"].lowering_revision,
        "by": [meaning[field] for field in bound.by],
        "order": "offset" if bound.by_offset else ["event_time", meaning["_time"]],
        "delete_when": digests.of_expression(upstream, bound.delete_when) if bound.delete_when is not None else None,
        "rows": [[meaning[field.name], type_text(field.type)] for field in schema if field.name in read],
        "columns": [[type_text(field.type), field.name in read] for field in schema],
    }


def _digests(aggregate: dict[str, Any]) -> set[str]:
    found = {key for key, _ in aggregate["by"]}
    for measure in aggregate["measures"]:
        found.update(measure["arguments"])
        if measure["where"]:
            found.add(measure["where"])
    return found


def _result(draft: Draft) -> list[Any]:
    """Topics hold what came to them before, so the result's own topic is what counts."""
    results = [draft.relations[sink.reference] for sink in draft.sinks if sink.topic is None]
    return [[relation.kind, relation.identity_kind, len(relation.identity), relation.index_depth] for relation in results]


def _exchange(draft: Draft, digests: FieldDigests, exchange: Exchange) -> dict[str, Any]:
    """Rows that wait in the exchange topic are state: they are JSON objects with the names of their fields.

    The reading step also keeps which of them it has seen, by identity and time.
    """
    relation = draft.relations[exchange.reference]
    meaning = digests.fields[exchange.reference]
    fields = [field for field in relation.schema if field.name in draft.exchanged_fields[exchange.reference]]
    return {
        "revision": EXCHANGE_REVISION,
        "fields": [[field.name, meaning[field.name], type_text(field.type)] for field in fields],
        "identity": [relation.identity_kind, len(relation.identity), [type_text(index_type) for index_type in relation.index_types]],
        "slack": [relation.slack.us, relation.spark_slack.us],
    }


def _layout(draft: Draft, query: Query, stateful: list[str]) -> list[str]:
    """Sources and stateful steps of a query in the order in which Spark meets them: it knows both by their places only.

    A node upstream of two groups of outputs, or of two inputs of a step, is listed twice, and so is an exchange that the query
    reads: Spark reads such a source twice, and does not resume a checkpoint with another number of sources.
    """
    found: list[str] = []
    given = {exchange.reference: f"exchange {exchange.number}" for exchange in query.exchange_in}
    for group in query.groups:
        _visit(draft, group.root, stateful, found, given)
    return [f"step {stateful.index(name)}" if name in stateful else name for name in found]


def _visit(draft: Draft, reference: str, stateful: list[str], found: list[str], given: Mapping[str, str]) -> None:
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
