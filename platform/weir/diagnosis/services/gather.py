"""Collects the evidence about a job: from the database, clusters, and the newest records of its sources."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from django.utils import timezone

from jobs.base.instants import Instant, datetime_of, instant_of
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan
from jobs.plan.model import SourceBound
from jobs.run_states import LIVE, NEVER_STARTED
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import describe_topics
from weir.diagnosis.services.evidence import (
    Counts,
    EngineFacts,
    Evidence,
    PartitionFacts,
    ResultFacts,
    RunFacts,
    Sample,
    SourceFacts,
    StepFacts,
    TopicState,
    sampled_row,
)
from weir.lag.models import CurrentLag
from weir.lag.services.history_tables import ALIAS as LAG_ALIAS
from weir.results.models import ALIAS as RESULTS_ALIAS
from weir.results.models import ResultRow
from weir.runs.models import Generation, Job, Run, reports_read_until
from weir.runs.services.planning import current_generation, current_version, plan_in, streams_of
from weir.streams.models import Stream
from weir.streams.services.row_sample import RowSample, SampledRecord, row_sample
from weir.streams.services.topic_ref import TopicRef, stream_ref
from weir.workspaces.errors import ServiceError, UnreachableError

SAMPLE_RECORDS: Final = 500
MAX_SAMPLED: Final = 12
"""Sources of which records are read; those of a larger document behind them are unknown."""
_SOURCES_AT_ONCE: Final = 4


def evidence_of(job: Job) -> Evidence:
    """All that is known about a job now. Reads at most `SAMPLE_RECORDS` of each source.

    Args:
        job: of a user; it may never have run.

    Raises:
        BusyError: a topic of large batches is being read by others.
    """
    generation = current_generation(job)
    run = (
        Run.objects.select_related("engine").filter(generation=generation).first()
        if generation is not None
        else None
    )
    version = current_version(job, run.version if run is not None and run.observed in LIVE else None)
    plan = plan_in(job.workspace, version.document)
    lag = CurrentLag.objects.using(LAG_ALIAS).filter(pk=job.pk).first() if run is not None else None
    payload = lag.payload if lag and run and lag.payload.get("run_id") == run.pk else {}
    return Evidence(
        now_us=time.time_ns() // 1_000,
        run=_run_facts(run),
        engine=_engine_facts(run),
        plan=plan,
        sources=_sources(job, plan, generation, payload),
        counts=_counts(payload, _us(generation.created_at) if generation is not None else None),
        watermark_us=payload.get("watermark_us"),
        rows_per_second=payload.get("rows_per_second"),
        result=_result_facts(job, generation),
    )


def _us(at: Any) -> int | None:
    return None if at is None else instant_of(at)


def _run_facts(run: Run | None) -> RunFacts:
    if run is None:
        return RunFacts(NEVER_STARTED)
    failure = run.failure
    return RunFacts(
        shown=run.shown_state(reports_read_until(), timezone.now()),
        since_us=_us(run.observed_since),
        last_seen_us=_us(run.last_seen_at),
        failure=(failure["code"], failure["message"]) if failure else None,
        retry_at_us=_us(run.retry_at),
        draining=run.draining,
    )


def _engine_facts(run: Run | None) -> EngineFacts | None:
    engine = run.engine if run is not None else None
    if engine is None:
        return None
    failure = engine.failure or {}
    return EngineFacts(engine.state, engine.ready, _us(engine.last_seen_at), failure.get("message", ""))


def _counts(payload: dict[str, Any], since_us: int | None) -> Counts:
    counted = payload.get("counts")
    if not counted:
        return Counts()
    names = ("batches", "rows_in", "rows_out", "late", "expression_nulls")
    rates: dict[str, float | None] = payload.get("given") or {}
    return Counts(
        **{name: counted[name] for name in names},
        given=counted.get("given") or {},
        per_second={reference: rate for reference, rate in rates.items() if rate is not None},
        steps=_step_facts(counted.get("steps") or {}, payload.get("steps") or {}),
        since_us=since_us,
    )


def _step_facts(counted: dict[str, Any], states: dict[str, Any]) -> dict[str, StepFacts]:
    """What was counted of each step, and what it keeps now."""
    return {
        name: StepFacts(
            expression_nulls=counted.get(name, {}).get("expression_nulls", 0),
            late=counted.get(name, {}).get("late"),
            keyless=counted.get(name, {}).get("keyless"),
            state_rows=states.get(name, {}).get("state_rows"),
        )
        for name in counted.keys() | states.keys()
    }


def _result_facts(job: Job, generation: Generation | None) -> ResultFacts:
    if generation is None:
        return ResultFacts()
    rows = ResultRow.objects.using(RESULTS_ALIAS).filter(job_id=job.pk, generation=generation.number)
    newest = rows.order_by("-newest_input_us", "-digest").values_list("timestamp_ms", flat=True).first()
    return ResultFacts(
        newest_us=None if newest is None else newest * 1_000,
        retention_us=generation.retention_ms * 1_000,
    )


def _sources(
    job: Job, plan: Plan, generation: Generation | None, payload: dict[str, Any]
) -> tuple[SourceFacts, ...]:
    """Facts of the sources, in the order of the document; clusters are asked side by side."""
    streams = streams_of(job.workspace, plan)
    bound: dict[str, Any] = generation.sources if generation is not None else {}
    reader = _SourceReader(plan, bound, payload)
    refs = {name: stream_ref(stream) for name, stream in streams.items()}
    with ThreadPoolExecutor(_SOURCES_AT_ONCE) as pool:
        return tuple(pool.map(lambda name: reader.facts(name, streams[name], refs[name]), streams))


class _SourceReader:
    """Reads what brokers say of the sources of one plan. It uses no database, so threads may share it.

    Args:
        plan: of the document.
        bound: by source, how the generation reads it (`jobs.kafka_messages.BoundSource`); empty before the
            first start.
        payload: the current lag, as the relay stored it.
    """

    def __init__(self, plan: Plan, bound: dict[str, Any], payload: dict[str, Any]) -> None:
        self._plan = plan
        self._static = plan.static - plan.streaming
        self._sampled = frozenset(list(plan.document.sources)[:MAX_SAMPLED]) if plan.document else frozenset()
        self._bound = bound
        self._cells: dict[str, Any] = payload.get("sources") or {}
        self._counted: dict[str, Any] = (payload.get("counts") or {}).get("sources") or {}

    def facts(self, name: str, stream: Stream, ref: TopicRef) -> SourceFacts:
        """Facts of one source.

        Args:
            name: of the source.
            stream: which it reads.
            ref: topic of the stream.
        """
        bound = self._bound.get(name)
        start = StartPosition.model_validate(bound["start"]) if bound else None
        counted = self._counted.get(name)
        state, detail = _topic_state(ref, bound["topic_id"] if bound else stream.topic_id)
        partitions: tuple[PartitionFacts, ...] = ()
        sample = None
        if state == "there":
            with suppress(ServiceError):
                partitions = self._partitions(name, ref, start)
                if name in self._sampled:
                    sample = _sample(name, ref, self._delay_us(name))
        return SourceFacts(
            name=name,
            topic=stream.topic,
            state=state,
            detail=detail,
            static=name in self._static,
            start=start,
            partitions=partitions,
            records=counted["records"] if counted else None,
            malformed=counted["malformed"] if counted else 0,
            reasons=tuple((one["reason"], one["records"]) for one in counted["reasons"]) if counted else (),
            sample=sample,
        )

    def _delay_us(self, name: str) -> int:
        """How far records of a source are expected to be out of order."""
        bound = self._plan.node(name).bound
        return bound.contract.delay_duration.us if isinstance(bound, SourceBound) else 0

    def _partitions(
        self, name: str, ref: TopicRef, start: StartPosition | None
    ) -> tuple[PartitionFacts, ...]:
        cells = {cell["partition"]: cell for cell in self._cells.get(name, {}).get("partitions", ())}
        found = watermarks(ref.profile, {ref.topic: ref.partitions})
        return tuple(
            PartitionFacts(low, end, _start_offset(start, partition, low), _reached(cells.get(partition)))
            for (_, partition), (low, end) in sorted(found.items())
        )


def _start_offset(start: StartPosition | None, partition: int, low: int) -> int | None:
    if start is None:
        return None
    if start.kind == "earliest":
        return low
    return start.offsets.get(partition) if start.kind == "offsets" else None


def _reached(cell: dict[str, Any] | None) -> int | None:
    """The furthest known position of a partition."""
    known = [cell[name] for name in ("committed", "fetched") if cell[name] is not None] if cell else []
    return max(known, default=None)


def _topic_state(ref: TopicRef, topic_id: str) -> tuple[TopicState, str]:
    """Whether the topic is there and the one that is read; and the error of a cluster that doesn't answer."""
    try:
        found = describe_topics(ref.profile, [ref.topic]).get(ref.topic)
    except UnreachableError as error:
        return "unreachable", error.detail
    if found is None:
        return "deleted", ""
    return ("there" if found.topic_id == topic_id else "recreated"), ""


def _sample(name: str, ref: TopicRef, delay_us: int) -> Sample:
    """The newest records, without deletions."""
    found = row_sample(ref, SAMPLE_RECORDS)
    return Sample(
        read=found.read,
        rows=tuple(
            sampled_row(record.row, _system(name, record)) for record in found.rows if not record.row.deleted
        ),
        malformed=found.malformed,
        newest_us=found.newest_us,
        oldest_us=found.oldest_us,
        complete=found.unread == frozenset(),
        whole_from_us=_whole_from_us(found, delay_us),
    )


def _whole_from_us(found: RowSample, delay_us: int) -> int | None:
    """Event time from which on the sample has every row; None: unknown."""
    if not found.unread:
        return None
    first: dict[int, int] = {}
    for record in found.rows:
        first.setdefault(record.partition, record.row.event_time)
    if not found.unread <= first.keys():
        return None
    return max(first[partition] for partition in found.unread) + delay_us


def _system(name: str, record: SampledRecord) -> dict[str, Any]:
    return {
        "_time": datetime_of(record.row.event_time),
        "_timestamp": datetime_of(Instant(record.timestamp_us)),
        "_source": name,
        "_partition": record.partition,
        "_offset": record.offset,
    }
