"""How far the start of a run has come: when its epoch reached each phase, for the history of runs.

`start_phases` of a run and of its execution: phase → µs. Beside the phases it holds `INTERRUPTED` and
`STATE_LOAD_MS` where they are known.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from jobs.base.instants import Instant, datetime_of, instant_of
from weir.runs.models import Execution, Run

INTERRUPTED: Final = "interrupted"  # the process that executed the epoch before was seen to end
STATE_LOAD_MS: Final = "state_load_ms"  # of the first batch, as in `jobs.kafka_messages.ProgressReport`
NOTICED: Final = "noticed"  # the platform knows of that end, and begins the next epoch
QUERIES_STARTED: Final = "queries_started"  # so the engine has let the run in
FIRST_BATCH: Final = "first_batch"  # the first batch begins: the checkpoint is read
CAUGHT_UP: Final = "caught_up"
PHASES: Final = (
    NOTICED,
    "placed",
    "engine_ready",
    "received",
    "planned",
    QUERIES_STARTED,
    FIRST_BATCH,
    CAUGHT_UP,
)
"""In order; those of engines are explained in `jobs.kafka_messages.StartPhase`."""


def after_interruption(ended_us: int | None, now_us: int) -> dict[str, int]:
    """What is known when the epoch begins after one whose process has died.

    Args:
        ended_us: when its end was seen; None: not seen, so it is not known either how long noticing took.
        now_us: the present.
    """
    return {} if ended_us is None else {INTERRUPTED: ended_us, NOTICED: now_us}


def note_phases(run: Run, phases: Mapping[str, int]) -> None:
    """Note that the run's epoch has reached these phases; what was noted before stays.

    Args:
        run: the caller holds the transaction. When nothing is new there is no query.
        phases: phase → µs by the engine's clock.
    """
    fresh = {phase: at_us for phase, at_us in phases.items() if phase not in run.start_phases}
    if not fresh:
        return
    run.start_phases = {**run.start_phases, **fresh}
    run.save(update_fields=["start_phases"])
    Execution.objects.filter(run=run, epoch=run.epoch).update(start_phases=run.start_phases)


def phases_ms(execution: Execution) -> dict[str, int | None]:
    """By phase, milliseconds from the interruption, or else from the begin of the epoch.

    Never below those of the phase before: the engine's clock is another than ours, and a warm engine was
    ready before. None: not reached, or its report was lost.
    """
    began = execution.start_phases.get(INTERRUPTED, instant_of(execution.started_at))
    found: dict[str, int | None] = {}
    least = 0
    for phase in PHASES:
        at_us = execution.start_phases.get(phase)
        if at_us is not None:
            least = max(least, (at_us - began) // 1_000)
        found[phase] = None if at_us is None else least
    return found


def interrupted_at(execution: Execution) -> datetime | None:
    """When the process that executed the epoch before was seen to end; None: it did not, or unseen."""
    at_us = execution.start_phases.get(INTERRUPTED)
    return None if at_us is None else datetime_of(Instant(at_us))
