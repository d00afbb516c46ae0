"""Handlers of engine reports. The relay calls them inside its transaction, in the order of the topic."""

from typing import Any, Final

from jobs.base.instants import Instant, datetime_of
from jobs.kafka_messages import (
    HeartbeatReport,
    PartitionProgress,
    PositionsReport,
    ProgressReport,
    Report,
    RunStateReport,
)
from weir.runs.models import ReconcilerState, Run
from weir.runs.services.heartbeats import apply_heartbeat
from weir.runs.services.reported_runs import living_process, moment, reported_run
from weir.runs.services.start_phases import FIRST_BATCH, STATE_LOAD_MS, note_phases
from weir.runs.services.states import note_state


def apply_report(report: Report) -> None:
    """Apply one report. Reports of lower epochs and of other incarnations than the
    engine's own change nothing.
    """
    match report:
        case HeartbeatReport():
            apply_heartbeat(report)
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


def _run_state(report: RunStateReport) -> None:
    run = reported_run(report.run_id, report.epoch, report.engine_id)
    if run is None or run.engine_id != report.engine_id:
        return
    if not living_process(report.engine_id, report.incarnation).exists():
        return  # what a process said before it died may be read after its end was noted
    run.last_seen_at = moment(report.at_us)
    run.applied_epoch, run.applied_revision = report.epoch, report.revision
    run.save(update_fields=["last_seen_at", "applied_epoch", "applied_revision"])
    note_phases(run, report.phases_us)
    note_state(run, report.state, report.failure)


def _progress(report: ProgressReport) -> None:
    run = _moving_run(report)
    if run is None:
        return
    run.last_seen_at = moment(report.at_us)
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
    run.last_seen_at = moment(report.at_us)
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
    """As `reported_run`, with these fields only."""
    run = Run.objects.select_for_update().only(*_MOVING).filter(pk=report.run_id).first()
    if run is not None and run.epoch == report.epoch:
        return run
    return reported_run(report.run_id, report.epoch, report.engine_id)


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
