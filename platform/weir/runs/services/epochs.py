"""The life of a run through its epochs: begin, wait for the old one to stop, end. Callers hold the transaction."""

from datetime import timedelta
from typing import Any, Final

from django.utils import timezone

from jobs.base.instants import instant_of
from weir.runs.models import LIVE_STATES, Desired, Engine, Execution, Observed, Run, Trial

CRASHES: Final = 5
CRASH_SPAN: Final = timedelta(minutes=10)
BACKOFF_S: Final = (1, 2, 5, 10, 30)


def begin_epoch(run: Run, engine: Engine) -> None:
    """The run's next epoch, on this engine; everything that the old one reached becomes what to replay up to.

    Only for a run whose old execution is known to be over (`docs/architecture.md#fencing`).
    """
    run.epoch += 1
    run.revision += 1
    run.engine = engine
    run.awaiting_stop = False
    run.replay_until = reached(run.positions)
    run.retry_at, run.lag_records, run.lag_seconds, run.rows_per_second = None, None, None, 0
    set_observed(run, Observed.STARTING)
    run.save()
    open_execution(run)


def open_execution(run: Run) -> None:
    """A line of the history for the present epoch."""
    Execution.objects.get_or_create(
        run=run, epoch=run.epoch, defaults={"version": run.version, "mode": run.mode, "engine_id": run.engine_id or ""}
    )


def close_execution(run: Run, state: str, why: str, failure: dict[str, Any] | None = None) -> None:
    """End the line of the present epoch, once."""
    Execution.objects.filter(run=run, epoch=run.epoch, ended_at__isnull=True).update(
        ended_at=timezone.now(), state=state, why_ended=why[:500], failure=failure
    )


def set_observed(run: Run, state: str) -> None:
    """Note a changed state and since when it is so; the caller saves."""
    if run.observed != state:
        run.observed, run.observed_since = state, timezone.now()
    elif state == Observed.STARTING:
        run.observed_since = timezone.now()


def restart(run: Run, engine: Engine) -> None:
    """Begin the next epoch now where the old one is over, else as soon as its engine says that it stopped."""
    run.desired = Desired.RUNNING
    run.crashes, run.failure, run.trial = [], None, Trial.NONE
    if run.observed in LIVE_STATES:
        run.awaiting_stop = True
        run.revision += 1
        run.save()
        return
    begin_epoch(run, engine)


def spend_crash(crashes: list[int]) -> tuple[list[int], bool]:
    """The crashes of the last 10 min with one more, and whether the budget is spent."""
    now = instant_of(timezone.now())
    span = CRASH_SPAN // timedelta(microseconds=1)
    recent = [*(at for at in crashes if now - at < span), now]
    return recent, len(recent) >= CRASHES


def backoff(crashes: int) -> timedelta:
    """How long to wait before the next attempt."""
    return timedelta(seconds=BACKOFF_S[min(crashes, len(BACKOFF_S)) - 1]) if crashes else timedelta(seconds=BACKOFF_S[0])


def reached(positions: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Next offsets per source and partition up to which results were seen: fetched where known, else committed."""
    found: dict[str, dict[str, int]] = {}
    for source, partitions in positions.items():
        offsets = {p: max(at.get("fetched") or 0, at.get("committed") or 0) for p, at in partitions.items()}
        found[source] = {p: offset for p, offset in offsets.items() if offset > 0}
    return found
