"""Publishes desired runs to engines: the only writer of ``weir.runs``."""

from collections.abc import Sequence
from typing import Any, Final

import structlog
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from jobs.base.durations import parse_duration
from jobs.base.instants import instant_of
from jobs.document import JobDocument
from jobs.document_parts import Settings
from jobs.kafka_messages import (
    ANSWERS_TOPIC,
    ASKS_TOPIC,
    REPORTS_TOPIC,
    RUNS_TOPIC,
    SCHEMAS_TOPIC,
    WARMUP_TOPIC,
    AvroTarget,
    BoundSource,
    DesiredRun,
    ExchangeTopic,
    Failure,
)
from jobs.run_states import ENDED, FAILED, RUNNING, STOPPED, DesiredState
from weir.clusters.services.clients import home_profile
from weir.clusters.services.system_topics import publish
from weir.clusters.services.topics import create_topic, describe_topics
from weir.retention import (
    ASKS_RETENTION_MS,
    COMPACTION_LAG_MS,
    REPORTS_RETENTION_MS,
    SEGMENT_BYTES,
    SEGMENT_MS,
    WARMUP_RETENTION_MS,
)
from weir.runs.models import Desired, Engine, Job, JobVersion, Run
from weir.runs.services.epochs import committed
from weir.runs.services.job_lock import lock_run
from weir.runs.services.planning import written_topics
from weir.runs.services.states import note_state
from weir.runs.services.viewing import in_order, precedence_of
from weir.schemas.services.schema_publisher import note_topic, republish_all
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.runs")
_MAX_VALIDATOR_BATCH_ROWS: Final = (
    50_000  # per batch: a validator that reads a topic from its beginning must not block the engine for jobs
)
_MAX_RUN_BYTES: Final = 900_000  # brokers take a record of 1 MB, unless they are told otherwise
_COMPACTED: Final = {
    "cleanup.policy": "compact",
    "segment.ms": str(SEGMENT_MS),
    "max.compaction.lag.ms": str(COMPACTION_LAG_MS),
    "min.cleanable.dirty.ratio": "0.1",
}
_ASKED: Final = {
    "cleanup.policy": "delete",
    "retention.ms": str(ASKS_RETENTION_MS),
    "segment.ms": str(SEGMENT_MS),
    "segment.bytes": str(SEGMENT_BYTES),
}
SYSTEM_TOPICS: Final[dict[str, dict[str, str]]] = {
    RUNS_TOPIC: _COMPACTED,
    SCHEMAS_TOPIC: _COMPACTED,
    REPORTS_TOPIC: {
        "cleanup.policy": "delete",
        "retention.ms": str(REPORTS_RETENTION_MS),
        "segment.ms": str(SEGMENT_MS),
        "segment.bytes": str(SEGMENT_BYTES),
    },
    ASKS_TOPIC: _ASKED,
    ANSWERS_TOPIC: _ASKED,
    WARMUP_TOPIC: {
        "cleanup.policy": "delete",
        "retention.ms": str(WARMUP_RETENTION_MS),
        "segment.ms": str(SEGMENT_MS),
    },
}


def ensure_system_topics() -> str:
    """Create missing topics between platform and engines; return the Kafka id of ``weir.runs``.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    profile = home_profile()
    found = describe_topics(profile, list(SYSTEM_TOPICS))
    for name, config in SYSTEM_TOPICS.items():
        if name not in found:
            if name == SCHEMAS_TOPIC:
                # Before: the broker may create it and its answer be lost, and then the next call finds it.
                republish_all()
            found[name] = create_topic(profile, name, 1, config)
    note_topic(found[SCHEMAS_TOPIC].topic_id)
    return found[RUNS_TOPIC].topic_id


def publish_run(run: Run) -> None:
    """Publish the desired run under its id, and wait until the broker has it.

    Raises:
        UnreachableError: the broker did not take it; the reconciler tries again.
    """
    publish_runs([run])


def publish_runs(runs: Sequence[Run]) -> None:
    """Publish desired runs under their ids, and wait until the broker has all of them. Those that wait for
    topics are left out: the start that creates the topics publishes them. One that cannot be read, as when
    an older version of Weir has saved it, or is too large for a record, is to stop, and has failed if it was
    to run: it keeps no other from being published.

    Raises:
        UnreachableError: the broker did not take all of them; the reconciler tries again.
    """
    ready = [run for run in runs if not run.awaits_topics]
    if not ready:
        return
    messages: dict[str, bytes | None] = {}
    failures: dict[str, Failure] = {}  # by run id
    for run in ready:
        try:
            message = _bytes(desired_run(run))
        except ValidationError as error:
            failures[run.id] = _unreadable(run, error)
        else:
            if len(message) > _MAX_RUN_BYTES:
                failures[run.id] = _too_large(len(message))
        messages[run.id] = _bytes(_stopped_run(run)) if run.id in failures else message
    publish(RUNS_TOPIC, messages)
    for run in ready:
        row = Run.objects.filter(pk=run.pk)
        published = row.filter(epoch=run.epoch, revision=run.revision, observed=run.observed)
        if not published.update(published_at=timezone.now()):
            # It has changed since it was read, and whoever changed it may have published before: the last
            # record must be the newest, as a process that starts later reads no other.
            row.update(published_at=None)
    for run in ready:
        if run.id in failures and _desired_state(run) == RUNNING:
            _fail(run, failures[run.id])


def engine_runs_published(engine: Engine) -> bool:
    """Publish what has changed of an engine's runs, and say whether the broker took it.

    A process that starts reads the last record of each run. It would execute an epoch that is over if the
    next one, or the stop, were not published yet.
    """
    changed = Run.objects.filter(engine=engine, published_at__isnull=True)
    try:
        publish_runs(list(in_order(changed).select_related("generation__job__workspace", "engine")))
    except ServiceError as error:
        _LOG.warning("the engine's runs are not published yet", engine=engine.id, error=error.detail)
        return False
    return True


def _bytes(message: DesiredRun) -> bytes:
    return message.model_dump_json().encode()


def _unreadable(run: Run, error: ValidationError) -> Failure:
    first = error.errors(include_url=False, include_input=False)[0]
    reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    message = (
        f"Version {run.version} can't be read by this version of Weir ({reason}). "
        "Save the job as a new version, then start that."
    )
    return Failure(code="PLAN_INVALID", message=message, permanent=True)


def _too_large(size: int) -> Failure:
    message = (
        f"The document and the contracts and schemas of what it reads have {size:,} bytes together; "
        f"{_MAX_RUN_BYTES:,} is the limit. Read fewer streams, or streams with smaller schemas."
    )
    return Failure(code="RUN_TOO_LARGE", message=message, permanent=True)


@transaction.atomic
def _fail(run: Run, failure: Failure) -> None:
    locked = lock_run(run.id)
    if locked is not None and locked.epoch == run.epoch and _desired_state(locked) == RUNNING:
        note_state(locked, FAILED, failure)


def publish_tombstone(run_id: str) -> None:
    """Publish that the run does not exist any more.

    Raises:
        UnreachableError: the broker did not take it.
    """
    publish(RUNS_TOPIC, {run_id: None})


def mirror_group(workspace: str, job_name: str) -> str:
    """The consumer group that shows a job's committed positions to Kafka tools."""
    return f"weir.{workspace}.{job_name}"


def _stopped_run(run: Run) -> DesiredRun:
    """The message of a run that is to stop, with as little as engines need for that."""
    return DesiredRun(**_always(run), state=STOPPED, document={}, sources={})


def _always(run: Run) -> dict[str, Any]:
    """Fields that hold whatever is known of the run's document and sources."""
    generation = run.generation
    job = generation.job
    return {
        "run_id": run.id,
        "job_id": job.id,
        "job_name": job.name,
        "workspace": job.workspace.slug,
        "engine_id": run.engine_id or "",
        "host": run.engine.host_queue if run.engine is not None else "",
        "epoch": run.epoch,
        "revision": run.revision,
        "generation": generation.number,
        "desired": RUNNING if run.desired == Desired.RUNNING else STOPPED,
        "task": "validator" if job.kind == Job.Kind.VALIDATOR else "job",
        "mode": "realtime" if run.mode == "realtime" else "microbatch",
        "slots": run.slots,
        "checkpoint": generation.checkpoint,
        "shuffle_partitions": generation.shuffle_partitions,
        "result_topic": generation.result_topic,
        "published_us": instant_of(timezone.now()),
    }


def desired_run(run: Run) -> DesiredRun:
    """The message of a run.

    Raises:
        ValidationError: what is saved of it means nothing to this version of Weir.
    """
    generation = run.generation
    job = generation.job
    version = JobVersion.objects.get(job=job, number=run.version)
    document = JobDocument.model_validate(version.document)
    job_settings = document.settings
    return DesiredRun(
        **_always(run),
        state=_desired_state(run),
        document=version.document,
        sources={name: BoundSource.model_validate(source) for name, source in generation.sources.items()},
        result_topic_id=generation.result_topic_id,
        exchange=ExchangeTopic(topic=generation.exchange_topic, topic_id=generation.exchange_topic_id)
        if generation.exchange_topic
        else None,
        topics=written_topics(job.workspace, document),
        avro={name: AvroTarget.model_validate(target) for name, target in run.avro.items()},
        commit_interval_ms=parse_duration(job_settings.commit_interval).us // 1000,
        catch_up_from=job_settings.catch_up_from,
        trigger_ms=parse_duration(job_settings.trigger).us // 1000,
        max_rows_per_batch=_max_rows_per_batch(run, job_settings),
        partial_before_us=generation.partial_before_us,
        replay_until=run.replay_until,
        committed=committed(run.positions),
        mirror_group=mirror_group(job.workspace.slug, job.name),
        recovering=run.admitted,
        precedence=precedence_of(job, timezone.now()),
        successor_id=run.engine.successor_id if run.engine is not None and run.awaiting_stop else None,
    )


def _max_rows_per_batch(run: Run, settings: Settings) -> int | None:
    """A batch begins at most once in a trigger interval, so what it may read limits the rate."""
    if run.generation.job.kind == Job.Kind.VALIDATOR:
        return _MAX_VALIDATOR_BATCH_ROWS
    if settings.rate_limit is None:
        return None
    return max(settings.rate_limit * parse_duration(settings.trigger).us // 1_000_000, 1)


def _desired_state(run: Run) -> DesiredState:
    """Stopped while a newer epoch waits for the current one to stop, and once the epoch has ended: an engine
    that starts later must not execute it again.
    """
    running = run.desired == Desired.RUNNING and not run.awaiting_stop and run.observed not in ENDED
    return RUNNING if running else STOPPED
