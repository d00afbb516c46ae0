"""Handlers of engine reports. The relay calls them inside its transaction, in the order of the topic."""

from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from jobs.base.instants import Instant, datetime_of
from jobs.kafka_messages import (
    HeartbeatReport,
    PartitionProgress,
    PositionsReport,
    ProgressReport,
    Report,
    RunHeartbeat,
    RunStateReport,
)
from jobs.run_states import FAILED, LIVE, STOPPED
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Observed, ReconcilerState, Run
from weir.runs.services.epochs import begin_epoch, close_execution, open_execution
from weir.runs.services.job_lock import lock_run
from weir.runs.services.overload import full_since
from weir.runs.services.start_phases import FIRST_BATCH, STATE_LOAD_MS, note_phases
from weir.runs.services.states import note_state
from weir.runs.task_queue import PUBLISH_RUN, PUBLISH_RUN_TOMBSTONE, START_RUN, enqueue

_LOG: Final = structlog.get_logger("weir.report_handlers")


def apply_report(report: Report) -> None:
    """Apply one report. Reports of lower epochs and of other incarnations than the
    engine's own change nothing.
    """
    match report:
        case HeartbeatReport():
            _heartbeat(report)
        case RunStateReport():
            _run_state(report)
        case ProgressReport():
            _progress(report)
        case PositionsReport():
            _positions(report)


def reports_read(until_us: int) -> None:
    """Note that the relay has applied every report of ``weir.reports`` that was sent
    before this instant (µs).
    """
    ReconcilerState.objects.update_or_create(
        pk=1, defaults={"relay_caught_up_at": datetime_of(Instant(until_us))}
    )


def record_lag(
    run_id: str, records: int | None, seconds: float | None, rows_per_second: float | None
) -> None:
    """Set what lists show as a run's lag, and how fast it reads.

    Args:
        run_id: which run.
        records: not yet read; None: not known.
        seconds: how old the oldest of them is; None: not known.
        rows_per_second: over the last minute; None: not known.
    """
    Run.objects.filter(pk=run_id).update(
        lag_records=records, lag_seconds=seconds, rows_per_second=rows_per_second
    )


def record_lag_health(run_id: str, health: dict[str, Any] | None) -> None:
    """Set what a run's lag means (`JobHealth.stored`); None: nothing is known of it."""
    Run.objects.filter(pk=run_id).update(lag_health=health)


def record_skipping(run_id: str, sources: list[dict[str, Any]]) -> None:
    """Set which sources of a run skip so many records that people should know
    (`weir.lag.services.skipping`).
    """
    Run.objects.filter(pk=run_id).update(skipping=sources)


def record_freshness(run_id: str, milliseconds: int | None) -> None:
    """Set what lists show as freshness: now − Kafka timestamp of the newest input inside the newest
    result, ms; None: not known.
    """
    Run.objects.filter(pk=run_id).update(freshness_ms=milliseconds)


def _moment(at_us: int) -> datetime:
    """A report's time; never in the future, even if the engine's clock runs ahead."""
    return min(datetime_of(Instant(at_us)), timezone.now())


def _run_of(run_id: str, epoch: int, engine_id: str) -> Run | None:
    """The run, locked, unless the report belongs to an epoch that is over.

    What a start or a stop decides meanwhile has to be seen: an end that did not know that an epoch waits for
    it would begin none, and no later report would.
    """
    run = lock_run(run_id)
    if run is None or epoch < run.epoch:
        return None
    if epoch > run.epoch:
        # The database was restored from before that epoch: its next one has to be above what engines know.
        _LOG.warning(
            "an engine knows a higher epoch; the run follows",
            run=run_id,
            known=run.epoch,
            reported=epoch,
            engine=engine_id,
        )
        if engine_id != run.engine_id:
            _supersede(run, epoch)
            return None
        close_execution(run, Observed.STOPPED, "The engine executed a later epoch.")
        run.epoch = epoch
        run.save(update_fields=["epoch"])
        open_execution(run)
    return run


def _supersede(run: Run, epoch: int) -> None:
    """Go past an epoch that another engine executes than the one that is to: it ends as soon as it hears of
    that. A record of the same epoch would be older than the one that it acts on, whose revision nobody knows.
    """
    close_execution(run, Observed.STOPPED, "Another engine executed a later epoch.")
    run.epoch = epoch
    if run.desired == Desired.RUNNING and run.engine is not None:
        begin_epoch(run, run.engine)
        _later(START_RUN, run.id)
        return
    run.epoch += 1
    run.desire_change()
    run.save(update_fields=["epoch", *REVISION_FIELDS])
    _later(PUBLISH_RUN, run.id)


def _heartbeat(report: HeartbeatReport) -> None:
    engine = Engine.objects.filter(pk=report.engine_id).first()
    seen_at = _moment(report.at_us)
    if engine is None or not _note_engine(engine, report, seen_at):
        return
    _beats(engine, report.runs, seen_at)
    # Runs that the engine does not list are not applied (or were lost): the reconciler publishes them again.
    Run.objects.filter(engine=engine).exclude(pk__in=report.runs).exclude(applied_revision=0).update(
        applied_epoch=0, applied_revision=0
    )


_HEARS_WITHIN: Final = timedelta(seconds=10)
_ALIVE: Final = (Engine.State.STARTING, Engine.State.READY, Engine.State.STOPPING)


def _living(engine_id: str, incarnation: str) -> QuerySet[Engine]:
    """The engine, if this is the process that the platform knows, and it is not known to be dead."""
    return Engine.objects.filter(pk=engine_id, incarnation=incarnation, state__in=_ALIVE)


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
    process = _living(engine.pk, report.incarnation)
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
        _later(PUBLISH_RUN_TOMBSTONE, run_id)
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
    run = _run_of(run_id, beat.epoch, engine.id)
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


def _later(task: str, *arguments: str) -> None:
    transaction.on_commit(lambda: enqueue(task, *arguments))


def _run_state(report: RunStateReport) -> None:
    run = _run_of(report.run_id, report.epoch, report.engine_id)
    if run is None or run.engine_id != report.engine_id:
        return
    if not _living(report.engine_id, report.incarnation).exists():
        return  # what a process said before it died may be read after its end was noted
    run.last_seen_at = _moment(report.at_us)
    run.applied_epoch, run.applied_revision = report.epoch, report.revision
    run.save(update_fields=["last_seen_at", "applied_epoch", "applied_revision"])
    note_phases(run, report.phases_us)
    note_state(run, report.state, report.failure)


def _progress(report: ProgressReport) -> None:
    run = _moving_run(report)
    if run is None:
        return
    run.last_seen_at = _moment(report.at_us)
    run.watermark_us = report.watermark_us if report.watermark_us is not None else run.watermark_us
    run.positions = _merged(run.positions, report.sources)
    run.save(update_fields=["last_seen_at", "watermark_us", "positions"])
    if FIRST_BATCH not in run.start_phases:
        loaded = {} if report.state_load_ms is None else {STATE_LOAD_MS: report.state_load_ms}
        note_phases(run, {FIRST_BATCH: report.began_us, **loaded})


def _positions(report: PositionsReport) -> None:
    run = _moving_run(report)
    if run is None:
        return
    run.last_seen_at = _moment(report.at_us)
    run.positions = _merged(run.positions, report.sources)
    run.draining = report.draining
    run.catching_up = report.catching_up.model_dump() if report.catching_up else None
    run.save(update_fields=["last_seen_at", "positions", "draining", "catching_up"])


# What reports of a run's way change, or look at. They come every second or two of each run, and reading a run
# with its job's documents takes much longer.
_MOVING: Final = (
    "epoch", "last_seen_at", "watermark_us", "positions", "draining", "catching_up", "start_phases",
)  # fmt: skip


def _moving_run(report: ProgressReport | PositionsReport) -> Run | None:
    """As `_run_of`, with these fields only."""
    run = Run.objects.select_for_update().only(*_MOVING).filter(pk=report.run_id).first()
    if run is not None and run.epoch == report.epoch:
        return run
    return _run_of(report.run_id, report.epoch, report.engine_id)


def _merged(known: dict[str, Any], reported: dict[str, dict[int, PartitionProgress]]) -> dict[str, Any]:
    """Positions by source and partition; a partition that a report leaves out stays as it was. A source that
    a report leaves out which names others is not read as a stream, such as a table that is broadcast now.
    """
    merged = {
        source: dict(partitions) for source, partitions in known.items() if source in reported or not reported
    }
    for source, partitions in reported.items():
        known_partitions = merged.setdefault(source, {})
        for partition, progress in partitions.items():
            known_partitions[str(partition)] = {
                **known_partitions.get(str(partition), {}),
                **progress.model_dump(exclude_none=True),
            }
    return merged
