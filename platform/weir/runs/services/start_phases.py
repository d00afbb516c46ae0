"""How far the start of a run has come: when its epoch reached each phase, for the history of runs."""

from typing import Final

from jobs.base.instants import instant_of
from jobs.run_states import READING, RUNNING, STARTING
from weir.runs.models import Execution, Run

RECEIVED: Final = "received"  # the engine has accepted the epoch
QUERIES_STARTED: Final = "queries_started"  # planned, and handed to Spark
FIRST_BATCH: Final = "first_batch"  # the first batch begins: the checkpoint is read
CAUGHT_UP: Final = "caught_up"  # passed the positions that were reached before a restart; results are live
PHASES: Final = (RECEIVED, QUERIES_STARTED, FIRST_BATCH, CAUGHT_UP)


def note_phases(run: Run, at_us: int, *phases: str) -> None:
    """Note that the run's epoch has reached these phases; what was noted before stays.

    Args:
        run: the caller holds the transaction. When nothing is new there is no query.
        at_us: when, by the engine's clock.
        phases: of `PHASES`.
    """
    fresh = {phase: at_us for phase in phases if phase not in run.start_phases}
    if not fresh:
        return
    run.start_phases = {**run.start_phases, **fresh}
    run.save(update_fields=["start_phases"])
    Execution.objects.filter(run=run, epoch=run.epoch).update(start_phases=run.start_phases)


def phases_of_state(state: str) -> tuple[str, ...]:
    """The phases that an epoch has reached which reports this state."""
    if state == STARTING:
        return (RECEIVED,)
    if state == RUNNING:
        return (QUERIES_STARTED, CAUGHT_UP)
    return (QUERIES_STARTED,) if state in READING else ()


def phases_ms(execution: Execution) -> dict[str, int]:
    """By phase, milliseconds from the begin of the epoch until it was reached.

    Never below those of the phase before: the engine's clock is another than ours. Phases that it has not
    reached, or whose report was lost, are left out.
    """
    began = instant_of(execution.started_at)
    found: dict[str, int] = {}
    least = 0
    for phase in PHASES:
        if phase in execution.start_phases:
            least = max(least, (execution.start_phases[phase] - began) // 1_000)
            found[phase] = least
    return found
