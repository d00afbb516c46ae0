"""Starts a job: from which positions, in which generation, on which engine.

A start reads the job, asks brokers for seconds, and writes only then: with the job locked, and only if it
still is what was read. It gets its engine last, so that one that is refused takes none from others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec
from django.conf import settings
from django.db import transaction
from django.db.models import F, Max

from jobs.base.durations import parse_duration
from jobs.kafka_messages import (
    BoundSource,
    Failure,
    StartPosition,
    dead_letter_topic,
    exchange_topic,
    result_topic,
)
from jobs.plan import Plan, kept_state
from jobs.run_states import ENDED, LIVE
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.offsets import at_or_after, offsets
from weir.runs.models import Desired, Engine, Generation, Job, JobVersion, Run, new_id
from weir.runs.services.checkpoint_folder import checkpoint_root
from weir.runs.services.dead_letter_topics import is_validator
from weir.runs.services.epochs import open_execution, restart
from weir.runs.services.job_lock import JobChangedError, lock_job, lock_run
from weir.runs.services.output_schemas import register_written
from weir.runs.services.placement import NoEngineRoomError, place, require_slots, shared_candidate
from weir.runs.services.planning import (
    current_generation,
    current_version,
    measure_context,
    plan_in,
    require_ok,
    result_of,
    streams_of,
)
from weir.runs.services.resumption import bound_to, require_resumable
from weir.runs.services.start_checks import StartCheck
from weir.runs.services.stop import stop_runs
from weir.runs.services.stream_uses import record_uses
from weir.runs.services.unplaced import wait_for_engine
from weir.runs.task_queue import START_RUN, enqueue
from weir.streams.models import Stream
from weir.streams.services.streams import confirm_topics
from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import name_of, record_event

Origin = Literal["now", "earliest", "time", "resume"]


@dataclass(frozen=True)
class _Prepared:
    """What a start needs before it writes to the database."""

    plan: Plan
    streams: dict[str, Stream]
    version: JobVersion
    origin: Origin


@dataclass(frozen=True)
class _Placed:
    """Where a run is to be."""

    engine: Engine | None
    waits: Failure | None = None  # why there is no engine


def start_job(
    job: Job,
    actor: User | None,
    origin: Origin,
    *,
    time_us: int | None = None,
    version: int | None = None,
    starts: dict[str, StartPosition] | None = None,
    again: bool = False,
    checks: Sequence[StartCheck] = (),
) -> Job:
    """Start a job. Starting a running job is no error, nor is one that somebody else started meanwhile.

    ``now`` means the end offsets at the time of this call: records between this call and the
    first batch are included. Records of a transaction that is open at that time are included, too.

    Args:
        job: as the caller decided to start it.
        actor: the user; None: the system.
        origin: where a new generation starts reading; ``resume`` continues the current one.
        time_us: Kafka timestamp for origin ``time``, µs.
        version: of the document; None: the newest.
        starts: by source, the start position of a new generation; None: from `origin`.
        again: stop a running job and resume it with the current connections of its clusters;
            if that fails, it runs on.
        checks: what may refuse the start of a job that doesn't run (`START_CHECKS`).

    Raises:
        ServiceError: a check refuses; the document has errors now, or the job cannot be resumed.
        ConflictError: resuming is impossible, because the state is incompatible or a topic was recreated; or
            the registry rejects the schema of an Avro output.
        JobChangedError: somebody else started or stopped the job meanwhile.
        NotFoundError: a topic does not exist, or the job is deleted.
        UnreachableError: the cluster does not answer.
    """
    if job.desired == Desired.DELETED:
        raise NotFoundError("NOT_FOUND", "The job is being deleted.")
    target = current_version(job, version)
    generation = current_generation(job)
    if not again and _is_running(job, target):
        return job
    for check in checks:
        check(job, target, actor)
    if origin == "time" and time_us is None:
        raise ServiceError("TIME_MISSING", "Select a start time.")
    prepared = _prepare(job, target, origin, generation if origin == "resume" else None)
    positions: dict[str, StartPosition] = {}
    if origin == "resume":
        generation, _ = require_resumable(prepared.plan, prepared.streams, generation)
    else:
        positions = starts if starts is not None else _start_positions(prepared.streams, origin, time_us)
    avro = _output_schemas(job, prepared, actor)
    with transaction.atomic():
        now = lock_job(job)
        if not again and _is_running(now, target):
            pass
        elif (now.desired, now.generation, now.starts) != (job.desired, job.generation, job.starts):
            raise JobChangedError(now)
        elif origin == "resume" and generation is not None:
            _resume(job, actor, generation, prepared, avro)
        else:
            _begin_generation(job, actor, prepared, _place(job, prepared.plan), positions, avro)
    job.refresh_from_db()
    return job


def _is_running(job: Job, target: JobVersion) -> bool:
    if job.desired != Desired.RUNNING or job.generation is None:
        return False
    runs = Run.objects.filter(generation__job=job, generation__number=job.generation, version=target.number)
    return runs.exclude(observed__in=ENDED).exists()


def _prepare(job: Job, version: JobVersion, origin: Origin, generation: Generation | None) -> _Prepared:
    first = require_ok(plan_in(job.workspace, version.document))
    streams = streams_of(job.workspace, first)
    confirm_topics(list(streams.values()))
    context = measure_context(streams, shared_candidate(), generation)
    plan = require_ok(plan_in(job.workspace, version.document, context))
    require_slots(plan.slots)
    return _Prepared(plan, streams, version, origin)


def _place(job: Job, plan: Plan) -> _Placed:
    kind = plan.document.settings.engine if plan.document else "shared"
    try:
        return _Placed(place(job, kind, plan.slots))
    except NoEngineRoomError as error:
        return _Placed(None, error.reason)


def _output_schemas(job: Job, prepared: _Prepared, actor: User | None) -> dict[str, Any]:
    """Register the schemas of Avro outputs. Last of all checks, so that a rejected start registers none."""
    registered = register_written(job.workspace, prepared.plan, name_of(actor))
    return {output: target.model_dump() for output, target in registered.items()}


def _start_positions(
    streams: dict[str, Stream], origin: Origin, time_us: int | None
) -> dict[str, StartPosition]:
    if origin == "earliest":
        return {name: StartPosition(kind="earliest") for name in streams}
    since_us = time_us if origin == "time" else None
    return {name: _start_position(stream, since_us) for name, stream in streams.items()}


def _start_position(stream: Stream, since_us: int | None) -> StartPosition:
    """Where a source starts: at the first record of this Kafka timestamp or later; None: at its end."""
    if stream.kind == "table":  # all of its entries, wherever the job's streams begin
        return StartPosition(kind="earliest")
    profile = profile_of(stream.cluster)
    partitions = [TopicPartition(stream.topic, partition) for partition in range(stream.partitions)]
    # The end that engines see, as they read committed records: to them a start beyond it, after a transaction
    # that is still open, means lost records.
    found = offsets(profile, {partition: OffsetSpec.latest() for partition in partitions}, committed=True)
    if since_us is not None:
        since = offsets(
            profile,
            {partition: at_or_after(since_us // 1000) for partition in partitions},
            committed=True,
        )
        # -1: no record is that new, so it starts at the end.
        found = {
            partition: since[partition] if since[partition] >= 0 else end for partition, end in found.items()
        }
    return StartPosition(
        kind="offsets",
        offsets={partition: found[stream.topic, partition] for partition in range(stream.partitions)},
    )


def bound_source(stream: Stream, start: StartPosition) -> dict[str, Any]:
    """What a generation keeps of a stream that it reads: where it is, its contract at the start, as JSON.

    Args:
        stream: as it is now.
        start: where the generation begins to read it.
    """
    source = BoundSource(
        stream=stream.name,
        cluster=profile_of(stream.cluster),
        topic=stream.topic,
        topic_id=stream.topic_id,
        partitions=stream.partitions,
        contract=stream.stream_contract,
        start=start,
    )
    return source.model_dump(mode="json")


def _begin_generation(
    job: Job,
    actor: User | None,
    prepared: _Prepared,
    placed: _Placed,
    starts: dict[str, StartPosition],
    avro: dict[str, Any],
) -> None:
    """Begin a new generation of a locked job, whose other runs stop."""
    stop_runs(Run.objects.filter(generation__job=job))
    plan = prepared.plan
    number = (Generation.objects.filter(job=job).aggregate(last=Max("number"))["last"] or 0) + 1
    # Where the database was restored, Kafka and the checkpoints may have a later generation of this number.
    name = f"{number}-{new_id()}"
    run_id = f"{job.id}.{name}"
    kept = kept_state(plan)
    generation = Generation.objects.create(
        job=job,
        number=number,
        fingerprint=kept.fingerprint,
        base_fingerprint=kept.base_fingerprint,
        measures=kept.measures,
        started_from=prepared.origin,
        sources={name: bound_source(stream, starts[name]) for name, stream in prepared.streams.items()},
        checkpoint=f"{checkpoint_root()}/{job.workspace.slug}/{job.id}/{name}",
        shuffle_partitions=settings.SHUFFLE_PARTITIONS,
        result_topic=dead_letter_topic(job.id) if is_validator(job) else result_topic(run_id),
        result_partitions=settings.RESULT_PARTITIONS,
        exchange_topic=exchange_topic(run_id) if plan.has_exchange else "",
        result=result_of(plan),
        retention_ms=_retention_ms(plan),
    )
    run = Run.objects.create(
        id=run_id,
        generation=generation,
        engine=placed.engine,
        avro=avro,
        **_run_fields(prepared),
    )
    open_execution(run)
    if placed.waits is not None:
        wait_for_engine(run, placed.waits)
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING, generation=number, starts=F("starts") + 1)
    record_uses(job)
    record_event(
        job.workspace,
        job.kind,
        f"{job.name} started from {prepared.origin}",
        actor=name_of(actor),
        subject=job.id,
        action=Action.STARTED,
    )
    transaction.on_commit(lambda: enqueue(START_RUN, run.id))


def _run_fields(prepared: _Prepared) -> dict[str, Any]:
    """What a run has of the version that it is started with."""
    plan = prepared.plan
    return {
        "version": prepared.version.number,
        "mode": plan.mode.mode,
        "mode_reasons": list(plan.mode.reasons),
        "rate_limit": plan.document.settings.rate_limit if plan.document else None,
        "slots": plan.slots,
    }


def _retention_ms(plan: Plan) -> int:
    return parse_duration(plan.document.settings.retention).us // 1000 if plan.document else 0


def _keep_results(generation: Generation, plan: Plan) -> None:
    """Results have the form of this plan from now on, and are kept as long as it says."""
    generation.result = result_of(plan)
    retention_ms = _retention_ms(plan)
    if retention_ms != generation.retention_ms and generation.topic_retention_ms is None:
        generation.topic_retention_ms = generation.retention_ms
    generation.retention_ms = retention_ms


def _start_of(generation: Generation, source: str, stream: Stream) -> StartPosition:
    """Where a generation began to read a source; one that no state depends on may be new."""
    bound = bound_to(generation, source, stream)
    return StartPosition(kind="earliest") if bound is None else StartPosition.model_validate(bound["start"])


def _resume(
    job: Job,
    actor: User | None,
    generation: Generation,
    prepared: _Prepared,
    avro: dict[str, Any],
) -> None:
    """Resume a generation of a locked job."""
    run = lock_run(generation.run.pk)
    if run is None:
        raise ValueError("a generation has a run")
    # One that runs is placed when it has stopped: an engine that waited for it would be idle, and retired.
    placed = _Placed(None) if run.observed in LIVE else _place(job, prepared.plan)
    stop_runs(Run.objects.filter(generation__job=job).exclude(pk=run.pk))
    generation.sources = {
        name: bound_source(stream, _start_of(generation, name, stream))
        for name, stream in prepared.streams.items()
    }
    _keep_results(generation, prepared.plan)
    if generation.base_fingerprint:  # otherwise its state stays as it is
        kept = kept_state(prepared.plan)
        # The base, too, as the engine does: a later version of Weir may write it in another way.
        generation.fingerprint, generation.measures = kept.fingerprint, kept.measures
        generation.base_fingerprint = kept.base_fingerprint
    generation.save(
        update_fields=[
            "sources",
            "result",
            "retention_ms",
            "topic_retention_ms",
            "fingerprint",
            "base_fingerprint",
            "measures",
        ]
    )
    for name, value in _run_fields(prepared).items():
        setattr(run, name, value)
    run.avro = avro
    restart(run, placed.engine)
    if placed.waits is not None:
        wait_for_engine(run, placed.waits)
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING, starts=F("starts") + 1)
    record_uses(job)
    record_event(
        job.workspace,
        job.kind,
        f"{job.name} resumed",
        actor=name_of(actor),
        subject=job.id,
        action=Action.STARTED,
    )
    transaction.on_commit(lambda: enqueue(START_RUN, run.id))
