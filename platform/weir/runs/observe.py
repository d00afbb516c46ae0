"""What engines report, written down. Called by the relay, inside its transaction, in the order of the topic."""

from datetime import datetime
from typing import Any, Final

import structlog
from django.db import transaction
from django.utils import timezone

from jobs.base.instants import Instant, datetime_of
from jobs.messages import Failure, HeartbeatReport, PartitionProgress, PositionsReport, ProgressReport, Report, RunBeat, RunStateReport
from weir.runs.models import Desired, Engine, Execution, Observed, Run, Surroundings
from weir.runs.queueing import START_RUN, TEND_ENGINE, enqueue
from weir.runs.services.epochs import backoff, begin_epoch, close_execution, set_observed, spend_crash
from weir.runs.services.placing import place

_LOG: Final = structlog.get_logger("weir.observe")
_OVER: Final = (Observed.STOPPED, Observed.FAILED)


def apply_report(report: Report) -> None:
    """Write down one report. Reports of lower epochs and of other incarnations than the engine's own change nothing."""
    match report:
        case HeartbeatReport():
            _heartbeat(report)
        case RunStateReport():
            _run_state(report)
        case ProgressReport():
            _progress(report)
        case PositionsReport():
            _positions(report)


def relay_caught_up() -> None:
    """The relay is within 5 s of the end of ``weir.reports`` now."""
    Surroundings.objects.update_or_create(pk=1, defaults={"relay_caught_up_at": timezone.now()})


def record_lag(run_id: str, messages: int | None, seconds: float | None) -> None:
    """Set what lists show as a run's lag.

    Args:
        run_id: which run.
        messages: records not yet read; None: not known.
        seconds: how old the oldest of them is; None: not known.
    """
    Run.objects.filter(pk=run_id).update(lag_messages=messages, lag_seconds=seconds)


def record_freshness(run_id: str, milliseconds: int | None) -> None:
    """Set what lists show as freshness: now − append time of the newest input inside the newest result, ms; None: not known."""
    Run.objects.filter(pk=run_id).update(freshness_ms=milliseconds)


def _moment(at_us: int) -> datetime:
    """A report's time; an engine's clock that runs ahead does not make us hear the future."""
    return min(datetime_of(Instant(at_us)), timezone.now())


def _run_of(run_id: str, epoch: int) -> Run | None:
    """The run, unless the report belongs to an epoch that is over."""
    run = Run.objects.select_related("generation__job", "engine").filter(pk=run_id).first()
    if run is None or epoch < run.epoch:
        return None
    if epoch > run.epoch:
        # The database was restored from before that epoch: its next one has to be above what engines know.
        _LOG.warning("an engine knows a higher epoch; the run follows", run=run_id, known=run.epoch, heard=epoch)
        run.epoch = epoch
        run.save(update_fields=["epoch"])
    return run


def _heartbeat(report: HeartbeatReport) -> None:
    engine = Engine.objects.filter(pk=report.engine_id).first()
    if engine is None or engine.incarnation != report.incarnation:
        return
    heard = _moment(report.at_us)
    engine.last_heard, engine.heard_incarnation, engine.ready = heard, report.incarnation, report.ready
    engine.slots, engine.slots_used, engine.memory_bytes = report.slots, report.slots_used, report.memory_bytes
    if report.versions:
        engine.versions = report.versions
    fields = ["last_heard", "heard_incarnation", "ready", "slots", "slots_used", "memory_bytes", "versions"]
    if engine.handle is None:
        engine.handle = report.handle.model_dump()
        fields.append("handle")
    if report.ready and engine.state == Engine.State.STARTING:
        engine.state, engine.retry_at = Engine.State.READY, None
        fields += ["state", "retry_at"]
    engine.save(update_fields=fields)
    for run_id, beat in report.runs.items():
        _beat(engine, run_id, beat, heard)
    # What it should run and does not name, it has not applied (or has forgotten): the reconciler says it again.
    Run.objects.filter(engine=engine).exclude(pk__in=report.runs).exclude(applied_revision=0).update(applied_epoch=0, applied_revision=0)


def _beat(engine: Engine, run_id: str, beat: RunBeat, heard: datetime) -> None:
    run = _run_of(run_id, beat.epoch)
    if run is None or run.engine_id != engine.id:
        return
    run.last_heard, run.applied_epoch, run.applied_revision = heard, beat.epoch, beat.revision
    if beat.revision > run.revision:
        run.revision = beat.revision + 1
    run.save(update_fields=["last_heard", "applied_epoch", "applied_revision", "revision"])
    if run.observed != beat.state and beat.revision == run.revision:
        _observed(run, beat.state, beat.failure)


def _run_state(report: RunStateReport) -> None:
    run = _run_of(report.run_id, report.epoch)
    if run is None or run.engine_id != report.engine_id:
        return
    run.last_heard = _moment(report.at_us)
    run.applied_epoch, run.applied_revision = report.epoch, report.revision
    run.save(update_fields=["last_heard", "applied_epoch", "applied_revision"])
    _observed(run, report.state, report.failure)


def _observed(run: Run, state: str, failure: Failure | None) -> None:
    """A run's state as its engine sees it, and what follows from it."""
    if run.observed in _OVER and state == run.observed and not run.awaiting_stop:
        return
    set_observed(run, state)
    run.failure = failure.model_dump() if failure else (None if state == Observed.RUNNING else run.failure)
    run.save(update_fields=["observed", "observed_since", "failure"])
    if state == Observed.FAILED:
        _failed(run, failure)
    elif state == Observed.STOPPED:
        close_execution(run, state, "It was stopped." if not run.awaiting_stop else "It was started again with a newer version.")
    else:
        Execution.objects.filter(run=run, epoch=run.epoch).update(state=state)
    if state in _OVER and run.awaiting_stop and run.desired == Desired.RUNNING:
        _next_epoch(run)
    elif state in _OVER and run.engine is not None and run.engine.kind == Engine.Kind.DEDICATED and run.desired != Desired.RUNNING:
        Engine.objects.filter(pk=run.engine_id).update(wanted=False)
        _later(TEND_ENGINE, run.engine.id, queue=run.engine.host_queue)


def _failed(run: Run, failure: Failure | None) -> None:
    """Try again later, unless it cannot help or was tried too often; an unreachable broker costs nothing."""
    reason = failure.message if failure else "Its engine gave no reason."
    close_execution(run, Observed.FAILED, reason, run.failure)
    if run.desired != Desired.RUNNING or (failure is not None and failure.permanent):
        return
    spent = False
    if failure is None or failure.code != "BROKER_UNREACHABLE":
        run.crashes, spent = spend_crash(run.crashes)
    run.retry_at = None if spent else timezone.now() + backoff(len(run.crashes))
    run.save(update_fields=["crashes", "retry_at"])


def _next_epoch(run: Run) -> None:
    """The old execution is over: the one that was waited for begins, on the engine that its version asks for."""
    job = run.generation.job
    version = job.versions.get(number=run.version)
    begin_epoch(run, place(job, version.document.get("settings", {}).get("engine", "shared"), run.slots))
    _later(START_RUN, run.id)


def _later(task: str, *arguments: Any, queue: str | None = None) -> None:
    transaction.on_commit(lambda: enqueue(task, *arguments, queue=queue))


def _progress(report: ProgressReport) -> None:
    run = _run_of(report.run_id, report.epoch)
    if run is None:
        return
    run.last_heard = _moment(report.at_us)
    run.watermark_us = report.watermark_us if report.watermark_us is not None else run.watermark_us
    if report.duration_ms > 0:
        run.rows_per_second = report.rows_in * 1000 / report.duration_ms
    run.positions = _merged(run.positions, report.sources)
    run.save(update_fields=["last_heard", "watermark_us", "rows_per_second", "positions"])


def _positions(report: PositionsReport) -> None:
    run = _run_of(report.run_id, report.epoch)
    if run is None:
        return
    run.last_heard = _moment(report.at_us)
    if report.rows_per_second is not None:
        run.rows_per_second = report.rows_per_second
    run.positions = _merged(run.positions, report.sources)
    run.save(update_fields=["last_heard", "rows_per_second", "positions"])


def _merged(known: dict[str, Any], heard: dict[str, dict[int, PartitionProgress]]) -> dict[str, Any]:
    """Positions by source and partition; what a report leaves out stays as it was."""
    merged = {source: dict(partitions) for source, partitions in known.items()}
    for source, partitions in heard.items():
        places = merged.setdefault(source, {})
        for partition, progress in partitions.items():
            places[str(partition)] = {**places.get(str(partition), {}), **progress.model_dump(exclude_none=True)}
    return merged
