"""The epochs of a run: start, wait for the old one to stop, end. Callers hold the transaction."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils import timezone

from jobs.run_states import LIVE, READING
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Execution, Isolation, Observed, Run
from weir.runs.signals import execution_changed

_EPOCH_FIELDS: Final = (
    *REVISION_FIELDS, "epoch", "engine", "awaiting_stop", "replay_until", "retry_at", "lag_records",
    "lag_seconds", "rows_per_second", "lag_health", "draining", "catching_up", "start_phases", "observed",
    "observed_since",
)  # fmt: skip


def begin_epoch(run: Run, engine: Engine | None, *, phases: Mapping[str, int] | None = None) -> None:
    """Start the run's next epoch on this engine; it replays up to the positions that the old epoch reached.

    Only for a run whose old execution is known to be over (`docs/architecture.md#fencing`). A run that its
    engine had let in keeps its place; one that still waited for processor time asks for it again. What a
    person may change meanwhile, as by a stop, is left as it is; the caller saves what else it changed.

    Args:
        run: the run.
        engine: that executes the epoch; None: none has room, so the caller says that the run waits
            (`unplaced`).
        phases: that its start has reached already, phase → µs (`start_phases`); None: none.
    """
    run.epoch += 1
    run.desire_change()
    run.engine = engine
    run.awaiting_stop = False
    run.replay_until = reached(run.positions)
    run.retry_at, run.lag_records, run.lag_seconds, run.rows_per_second = None, None, None, None
    run.lag_health = None
    run.draining, run.catching_up, run.start_phases = False, None, dict(phases or {})
    set_observed(run, Observed.STARTING)
    run.save(update_fields=_EPOCH_FIELDS)
    open_execution(run)


def open_execution(run: Run) -> None:
    """Add the current epoch to the run's history."""
    _, made = Execution.objects.get_or_create(
        run=run,
        epoch=run.epoch,
        defaults={
            "version": run.version,
            "mode": run.mode,
            "engine_id": run.engine_id or "",
            "start_phases": run.start_phases,
        },
    )
    if made:
        execution_changed.send(Run, run=run, state=Observed.STARTING, reason="", failure=None)


def note_execution(run: Run, state: str) -> None:
    """Note the state of the current epoch in the run's history, as long as it goes on: a report may be read
    again after the end.
    """
    going_on = Execution.objects.filter(run=run, epoch=run.epoch, ended_at__isnull=True)
    if going_on.update(state=state) and state in READING:
        execution_changed.send(Run, run=run, state=state, reason="", failure=None)


def close_execution(run: Run, state: str, reason: str, failure: dict[str, Any] | None = None) -> None:
    """Close the current epoch in the run's history, once."""
    ended = Execution.objects.filter(run=run, epoch=run.epoch, ended_at__isnull=True).update(
        ended_at=timezone.now(), state=state, end_reason=reason[:500], failure=failure
    )
    if ended:
        execution_changed.send(Run, run=run, state=state, reason=reason, failure=failure)


def set_observed(run: Run, state: str) -> None:
    """Set the observed state and its time; the caller saves."""
    if run.observed != state:
        run.observed, run.observed_since = state, timezone.now()
    elif state == Observed.STARTING:
        run.observed_since = timezone.now()


def restart(run: Run, engine: Engine | None) -> None:
    """Start the next epoch now if the old one is over, else as soon as the engine reports that it stopped."""
    run.desired = Desired.RUNNING
    run.crashes, run.failure, run.isolation = [], None, Isolation.NONE
    if run.observed in LIVE:
        run.awaiting_stop = True
        run.desire_change()
        run.save()
        return
    run.admitted = False
    run.save()
    begin_epoch(run, engine)


def reached(positions: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Next offsets per source and partition up to which results were seen: fetched
    where known, else committed.
    """
    found: dict[str, dict[str, int]] = {}
    for source, partitions in positions.items():
        offsets = {p: max(at.get("fetched") or 0, at.get("committed") or 0) for p, at in partitions.items()}
        found[source] = {p: offset for p, offset in offsets.items() if offset > 0}
    return found


def committed(positions: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Next offsets per source and partition that were reported as committed; others are left out."""
    return {
        source: {p: at["committed"] for p, at in partitions.items() if at.get("committed") is not None}
        for source, partitions in positions.items()
    }
