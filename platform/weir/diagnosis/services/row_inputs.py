"""The newest input records that made a row of a job's result, as far as Kafka keeps them."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.identities import identity_parts
from jobs.base.instants import instant_text, nearest_instant
from jobs.formats.json_text import bounded_json
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan
from jobs.plan.queries import Sink
from weir.clusters.services.topics import describe_topics
from weir.diagnosis.services.input_bounds import InputBounds, input_bounds
from weir.diagnosis.services.input_reader import (
    MAX_RECORDS,
    NOT_NEEDED,
    InputRead,
    InputWish,
    read_inputs,
)
from weir.diagnosis.services.row_trace import RowTrace, row_trace
from weir.diagnosis.services.traced.steps import late_steps
from weir.diagnosis.services.trail import Doubt
from weir.lag.models import CurrentLag
from weir.lag.services.history_tables import ALIAS as LAG_ALIAS
from weir.results.models import ALIAS as RESULTS_ALIAS
from weir.results.models import ResultRow
from weir.results.services.records import key_digest
from weir.runs.models import Generation, Job, Run
from weir.runs.services.planning import current_generation, current_version, plan_in, streams_of
from weir.streams.models import Stream
from weir.streams.services.decoding import page_budget, record_json, timestamp_us
from weir.streams.services.topic_ref import TopicRef, stream_ref
from weir.workspaces.errors import NotFoundError, ServiceError, UnreachableError

MAX_SHOWN: Final = 50  # records of one source
_SOURCES_AT_ONCE: Final = 4
_START_UNKNOWN: Final = "where the job began to read it is not recorded"


@dataclass(frozen=True, slots=True)
class _Input:
    """A source of the row: its stream, what was looked for and what was read."""

    name: str
    stream: Stream
    ref: TopicRef
    bounds: tuple[InputBounds, ...]
    found: InputRead


def row_inputs(job: Job, key: str) -> dict[str, Any]:
    """The records that made a row of the result, newest first, in the API's form.

    Args:
        job: of a user.
        key: identity of the row, as JSON text.

    Raises:
        NotFoundError: ROW_UNKNOWN: the job's current generation has no such row.
        ServiceError: NOT_PLANNED: the version that made it can't be planned any more.
        BusyError: a topic of large batches is being read by others.
    """
    generation, row = _stored(job, key)
    run = Run.objects.filter(generation=generation).first()
    # Not the newest one where the run has stopped: the row is none of its making.
    version = current_version(job, run.version if run is not None else None)
    plan = plan_in(job.workspace, version.document)
    sink = next((one for one in plan.sinks if one.topic is None and one.exchange is None), None)
    if not plan.ok or sink is None:
        raise ServiceError("NOT_PLANNED", f"Version {version.number} has errors now. Check its document.")
    value = bounded_json(row.value)
    parts = identity_parts(row.key)
    bounds = input_bounds(plan, sink.reference, parts, value)
    inputs = _read(job, plan, sink, generation, bounds, row.newest_input_us)
    rows = {one.name: one.found.rows for one in inputs}
    trace = row_trace(plan, sink.reference, parts, rows, _late_steps(job, plan, run))
    doubts = sorted({*trace.doubts, *_start_doubts(inputs)})
    whole = all(one.found.complete and not one.found.expired for one in inputs)
    with page_budget():
        sources = [_source_json(one, trace) for one in inputs]
    return {
        "key": parts,
        "value": value,
        "partial": row.partial,
        "newest_input": instant_text(nearest_instant(row.newest_input_us)),
        "version": version.number,
        "output": sink.name,
        "known": trace.records is not None,
        "exact": trace.exact and whole and not doubts,
        "doubts": [{"step": doubt.step, "reason": doubt.reason} for doubt in doubts],
        "sources": sources,
    }


def _stored(job: Job, key: str) -> tuple[Generation, ResultRow]:
    generation = current_generation(job)
    row = None
    if generation is not None:
        rows = ResultRow.objects.using(RESULTS_ALIAS).filter(job_id=job.pk, generation=generation.number)
        row = rows.filter(digest=key_digest(key)).first()
    if generation is None or row is None:
        raise NotFoundError("ROW_UNKNOWN", "The result no longer has this row.")
    return generation, row


def _late_steps(job: Job, plan: Plan, run: Run | None) -> frozenset[str]:
    """Steps that may have dropped late rows: all but those that are known to have dropped none."""
    lag = CurrentLag.objects.using(LAG_ALIAS).filter(pk=job.pk).first() if run is not None else None
    payload = lag.payload if lag and run and lag.payload.get("run_id") == run.pk else {}
    counted: dict[str, Any] = (payload.get("counts") or {}).get("steps") or {}
    return frozenset(name for name in late_steps(plan) if counted.get(name, {}).get("late") != 0)


def _start_doubts(inputs: list[_Input]) -> list[Doubt]:
    return [Doubt(one.name, _START_UNKNOWN) for one in inputs if one.found.unknown_start]


def _read(
    job: Job,
    plan: Plan,
    sink: Sink,
    generation: Generation,
    bounds: Mapping[str, list[InputBounds]],
    newest_us: int,
) -> list[_Input]:
    """What was read of the sources upstream of an output, in the order of the document."""
    upstream = plan.upstream_of(sink.reference)
    streams = {name: stream for name, stream in streams_of(job.workspace, plan).items() if name in upstream}
    refs = {name: stream_ref(stream) for name, stream in streams.items()}
    share = MAX_RECORDS // max(1, len(bounds))

    def of(name: str) -> _Input:
        wanted = tuple(bounds.get(name, ()))
        found = NOT_NEEDED
        if wanted:
            bound = generation.sources.get(name)
            start = StartPosition.model_validate(bound["start"]) if bound else None
            topic_id = bound["topic_id"] if bound else streams[name].topic_id
            found = _of_topic(refs[name], plan, name, topic_id, InputWish(wanted, start, newest_us, share))
        return _Input(name, streams[name], refs[name], wanted, found)

    with ThreadPoolExecutor(_SOURCES_AT_ONCE) as pool:
        return list(pool.map(of, streams))


def _of_topic(ref: TopicRef, plan: Plan, name: str, topic_id: str, wish: InputWish) -> InputRead:
    """What was read of a source, if its topic is still the one that the generation reads."""
    try:
        topic = describe_topics(ref.profile, [ref.topic]).get(ref.topic)
        if topic is None:
            return InputRead("deleted")
        if topic.topic_id != topic_id:
            return InputRead("recreated")
        return read_inputs(ref, plan.node(name), wish)
    except UnreachableError as error:
        return InputRead("unreachable", error.detail)
    except ServiceError as error:
        return InputRead("failed", error.detail)


def _source_json(one: _Input, trace: RowTrace) -> dict[str, Any]:
    found = one.found
    places = [place for place in trace.records or () if place.source == one.name]
    messages = [found.messages[place.partition, place.offset] for place in places]
    newest = sorted(messages, key=_time_and_place, reverse=True)
    return {
        "source": one.name,
        "stream": one.stream.name,
        "is_table": one.stream.kind == "table",
        "state": found.state,
        "detail": found.detail,
        "bounds": [_bounds_json(bounds) for bounds in one.bounds],
        "records": [
            record_json(message, one.ref.contract, one.ref.schema_of) for message in newest[:MAX_SHOWN]
        ],
        "total": len(newest) if trace.records is not None else None,
        "read": found.read,
        "complete": found.complete,
        "expired": found.expired,
        "oldest": None if found.oldest_us is None else instant_text(nearest_instant(found.oldest_us)),
        "unreadable": found.unreadable,
    }


def _time_and_place(message: Message) -> tuple[int, int, int]:
    """An order in which no two records are equal: a millisecond may have several."""
    return timestamp_us(message), message.offset() or 0, message.partition() or 0


def _bounds_json(bounds: InputBounds) -> dict[str, Any]:
    record = bounds.record
    return {
        "equal": dict(bounds.equal) if record is None else {},
        "from": None if bounds.from_us is None else instant_text(nearest_instant(bounds.from_us)),
        "until": None if bounds.until_us is None else instant_text(nearest_instant(bounds.until_us)),
        "partition": None if record is None else record.partition,
        "offset": None if record is None else record.offset,
    }
