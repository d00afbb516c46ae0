"""Pass: a hash over what stored state means (`design.md` 3). Same hash: the generation goes on; another: a new one begins.

It covers, of the nodes that the result depends on: source names, streams, event-time rule and delay; of every stateful
step its lowering revision, window, lag, keys and ordered measures, with every expression followed down to source fields;
the kind and identity of the result, because a generation's result topic holds one kind of identity; the state format.

It does not cover names of the job, steps, measures, keys and outputs, settings and engine, filters (what was counted
stays counted; from now on other rows count), and stateless steps whose fields no state depends on. The number of state
partitions is chosen when a generation begins and kept with it.
"""

from typing import Any, Final

from jobs.base.types import type_text
from jobs.operators import OPERATORS
from jobs.operators.aggregate import AggregateBound
from jobs.operators.change import ChangeBound
from jobs.operators.join import JoinBound
from jobs.operators.late_rows import PORT
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join import TableJoinBound
from jobs.plan.draft import Draft
from jobs.plan.lineage import Lineage, digest, join_json, measure_json, trace, window_json
from jobs.plan.model import StateMeaning
from jobs.plan.prune import needed_fields, reads_of

FINGERPRINT_FORMAT: Final = 1
STATE_FORMAT: Final = "rocksdb-changelog, checkpoint format 2"


def fingerprint(draft: Draft) -> None:
    """Fills state and fingerprint of a document without errors."""
    if not draft.sound:
        return
    lineage, needed = trace(draft), needed_fields(draft)
    stateful: dict[str, Any] = {}
    read: set[str] = set()
    for name in draft.live_steps():
        bound = draft.bounds[name]
        if isinstance(bound, AggregateBound):
            stateful[name] = {**_aggregate(lineage, draft.inputs[name][0], bound), **_queries(draft, name)}
            read |= _digests(stateful[name])
        elif isinstance(bound, ChangeBound):
            stateful[name] = _change(lineage, draft.inputs[name][0], bound)
            read |= set(stateful[name]["of"])
        elif isinstance(bound, JoinBound) or (isinstance(bound, TableJoinBound) and bound.max_rows is None):
            stateful[name] = _join(draft, lineage, name, bound, needed)
            read |= {meaning for side in stateful[name]["rows"] for meaning, _ in side}
    made = {
        name: frozenset(lineage.fields[name].values())
        for name in draft.live_steps()
        if isinstance(draft.bounds[name], ProjectionBound | SplitBound)
    }
    draft.state = StateMeaning(
        sources={name: _source(draft, name) for name in draft.live_sources()},
        stateful=stateful,
        result=_result(draft),
        read=lineage.closure(read),
        made=made,
    )
    parts = [FINGERPRINT_FORMAT, STATE_FORMAT, sorted(draft.state.sources.items()), list(stateful.values()), draft.state.result]
    policy = draft.document.settings.watermark
    draft.fingerprint = digest(parts if policy == "min" else [*parts, policy])


def _source(draft: Draft, name: str) -> dict[str, Any]:
    contract = draft.contracts[name]
    event_time = contract.event_time.model_dump(mode="json")
    if event_time["kind"] == "append":
        event_time = {"kind": "append"}
    meaning = {"stream": draft.document.sources[name].registered, "event_time": event_time, "delay": contract.delay_duration.us}
    if contract.kind == "table":
        delay = contract.delay_duration.us if contract.delay is not None else None
        return {**meaning, "delay": delay, "table": {"key": list(contract.key), "version_by": contract.version_by}}
    return meaning


def _aggregate(lineage: Lineage, upstream: str, bound: AggregateBound) -> dict[str, Any]:
    return {
        "op": "aggregate",
        "revision": OPERATORS["aggregate"].lowering_revision,
        "window": window_json(bound),
        "lag": bound.lag.us if bound.window else None,
        "by": [[lineage.of_expression(upstream, e), type_text(e.type)] for _, e in bound.by],
        "measures": [measure_json(lineage, upstream, measure) for measure in bound.measures],
    }


def _queries(draft: Draft, name: str) -> dict[str, Any]:
    """What stands in the query for an aggregate: itself unless only changes of it are read, and what tells its late rows."""
    readers = [draft.document.steps[step].op for step in draft.live_steps() if name in draft.inputs[step]]
    shown = any(output.input == name for output in draft.document.outputs.values())
    found: dict[str, Any] = {}
    if readers and set(readers) == {"change"} and not shown:
        found["only_changes"] = True
    if f"{name}.{PORT}" in draft.live_references():
        found["late_port"] = True
    return found


def _change(lineage: Lineage, upstream: str, bound: ChangeBound) -> dict[str, Any]:
    """The aggregate it reads stands beside it with window, lag and keys."""
    of = [lineage.fields[upstream][changed.measure.name] for changed in bound.changed]
    return {"op": "change", "revision": OPERATORS["change"].lowering_revision, "of": of}


def _join(
    draft: Draft, lineage: Lineage, name: str, bound: JoinBound | TableJoinBound, needed: dict[str, frozenset[str]]
) -> dict[str, Any]:
    op = draft.document.steps[name].op
    meaning = join_json(lineage, draft, name, bound, reads_of(draft, name, needed))
    return {"op": op, "revision": OPERATORS[op].lowering_revision, **meaning}


def _digests(aggregate: dict[str, Any]) -> set[str]:
    found = {key for key, _ in aggregate["by"]}
    for measure in aggregate["measures"]:
        found.update(measure["arguments"])
        if measure["where"]:
            found.add(measure["where"])
    return found


def _result(draft: Draft) -> list[Any]:
    results = []
    for output in draft.document.outputs.values():
        relation = draft.relations[output.input]
        results.append([relation.kind, relation.identity_kind, len(relation.identity), relation.index_depth])
    return results
