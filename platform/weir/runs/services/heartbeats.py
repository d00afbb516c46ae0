"""Heartbeats of engines: what one says of itself, and of every run that it was told of."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from jobs.kafka_messages import HeartbeatReport, RunHeartbeat
from jobs.run_states import FAILED, LIVE, STOPPED
from weir.runs.models import Engine, Run
from weir.runs.services.overload import full_since
from weir.runs.services.reported_runs import living_process, moment, reported_run
from weir.runs.services.states import note_state
from weir.runs.task_queue import PUBLISH_RUN_TOMBSTONE, enqueue

_HEARS_WITHIN: Final = timedelta(seconds=10)


def apply_heartbeat(report: HeartbeatReport) -> None:
    """Note that an engine lives, with what it says of itself and of its runs."""
    engine = Engine.objects.filter(pk=report.engine_id).first()
    seen_at = moment(report.at_us)
    if engine is None or not _note_engine(engine, report, seen_at):
        return
    _beats(engine, report.runs, seen_at)
    # Runs that the engine does not list are not applied (or were lost): the reconciler publishes them again.
    Run.objects.filter(engine=engine).exclude(pk__in=report.runs).exclude(applied_revision=0).update(
        applied_epoch=0, applied_revision=0
    )


def _note_engine(engine: Engine, report: HeartbeatReport, seen_at: datetime) -> bool:
    """Note what an engine says of itself. False: it is not the process that the platform knows, or that is
    known to be dead: workers note so meanwhile, and a late heartbeat must not undo it.
    """
    said = {
        "last_seen_at": seen_at,
        "reported_incarnation": report.incarnation,
        "plays_ready": report.plays_ready,
        "slots": report.slots,
        "slots_used": report.slots_used,
        "memory_bytes": report.memory_bytes,
        "cpu_cores": report.cpu_cores,
        "host_cpu_cores": report.host_cpu_cores,
        "host_cores": report.host_cores,
        "host_full_since": full_since(engine, report.host_cpu_cores, report.host_cores, seen_at),
        **({"versions": report.versions} if report.versions else {}),
    }
    process = living_process(engine.pk, report.incarnation)
    if not process.update(**said):
        return False
    process.filter(handle__isnull=True).update(handle=report.handle.model_dump())
    serves = process.filter(state__in=(Engine.State.STARTING, Engine.State.READY))
    serves.exclude(ready=report.ready).update(ready=report.ready)
    if report.ready and engine.state == Engine.State.STARTING:
        process.filter(state=Engine.State.STARTING).update(
            state=Engine.State.READY, retry_at=None, failed_starts=0
        )
    return True


def _beats(engine: Engine, beats: dict[str, RunHeartbeat], seen_at: datetime) -> None:
    """Apply the statuses of all runs of a heartbeat. Unchanged runs cost two queries
    together; most are stopped.
    """
    known = {run.pk: run for run in Run.objects.filter(pk__in=beats).only(*_ECHOED)}
    for run_id in beats.keys() - known.keys():
        _delete_record(run_id)
    echoed = {run_id for run_id, run in known.items() if _echoes(engine, run, beats[run_id])}
    seen_later = Q(last_seen_at__gt=seen_at, last_seen_at__lte=timezone.now())
    Run.objects.filter(~seen_later, pk__in=echoed, observed__in=LIVE).update(last_seen_at=seen_at)
    for run_id in known.keys() - echoed:
        _beat(engine, run_id, beats[run_id], seen_at)


_ECHOED: Final = (
    "engine_id",
    "epoch",
    "revision",
    "applied_epoch",
    "applied_revision",
    "observed",
    "awaiting_stop",
)


def _echoes(engine: Engine, run: Run, beat: RunHeartbeat) -> bool:
    """True when a heartbeat contains what is known of a run already."""
    desired, applied, reported = (
        (run.epoch, run.revision),
        (run.applied_epoch, run.applied_revision),
        (beat.epoch, beat.revision),
    )
    # A process that starts after a run has failed is told only that it is to stop.
    failed_before = (run.observed, beat.state, run.awaiting_stop) == (FAILED, STOPPED, False)
    same = run.observed == beat.state or failed_before
    return same and run.engine_id == engine.id and desired == applied == reported


def _beat(engine: Engine, run_id: str, beat: RunHeartbeat, seen_at: datetime) -> None:
    run = reported_run(run_id, beat.epoch, engine.id)
    if run is None:  # what it was told last is older than what is desired, so it is told again
        Run.objects.filter(pk=run_id, engine=engine).update(
            applied_epoch=beat.epoch, applied_revision=beat.revision
        )
        _tell_again(engine, run_id, beat)
        return
    if run.engine_id != engine.id:
        _tell_again(engine, run_id, beat)
        return
    # A report of the run itself, by another producer, was faster and is newer. One of a time to come is from
    # before the clock was set back.
    if run.last_seen_at is not None and seen_at < run.last_seen_at <= timezone.now():
        return
    run.last_seen_at, run.applied_epoch, run.applied_revision = seen_at, beat.epoch, beat.revision
    if beat.revision > run.revision:
        run.revision, run.published_at = beat.revision + 1, None
    run.save(update_fields=["last_seen_at", "applied_epoch", "applied_revision", "revision", "published_at"])
    if run.observed != beat.state and beat.revision == run.revision:
        note_state(run, beat.state, beat.failure)


def _tell_again(engine: Engine, run_id: str, beat: RunHeartbeat) -> None:
    """Publish a run again that an engine executes although it is another's by now: its last record may be an
    older one, which a process reads that starts. Until it has heard of a new one, it is told once in a while.
    """
    if beat.state in LIVE:
        told_before = timezone.now() - _HEARS_WITHIN
        others = Run.objects.filter(pk=run_id, published_at__lt=told_before).exclude(engine=engine)
        others.update(published_at=None)


def _delete_record(run_id: str) -> None:
    """Tell the engine that a run is no more, once this transaction has ended."""
    transaction.on_commit(lambda: enqueue(PUBLISH_RUN_TOMBSTONE, run_id))
