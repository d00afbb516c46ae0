"""The states of a run: which there are, which may follow which, which end it, and when a silent run's state
is unknown.

What the user asked for (desired) and what the engine reported (observed) are two facts; none is derived from
the other (`docs/architecture.md#desired-and-observed`). The engine moves a run along `NEXT`. The platform
takes any state that is reported for the run's epoch, because reports may be lost; it begins every epoch as
`STARTING`, and ends the run of an engine whose process is gone. No state follows one of `ENDED` but in the
next epoch.
"""

from collections.abc import Mapping
from typing import Final, Literal

DesiredState = Literal["running", "stopped"]  # of a run; a job may also be deleted
RunState = Literal["starting", "running", "replaying", "waiting", "stopping", "stopped", "failed"]

STARTING: Final = "starting"  # asked for, or its queries are being started
RUNNING: Final = "running"
REPLAYING: Final = "replaying"  # reads input again that was read before a restart
WAITING: Final = "waiting"  # a cluster does not answer
STOPPING: Final = "stopping"
STOPPED: Final = "stopped"
FAILED: Final = "failed"

# Shown in place of a state, and never reported.
UNKNOWN: Final = "unknown"  # the run should be live, but is silent
NEVER_STARTED: Final = "never_started"  # the job has no run

STATES: Final[tuple[RunState, ...]] = (STARTING, RUNNING, REPLAYING, WAITING, STOPPING, STOPPED, FAILED)
ENDED: Final[frozenset[RunState]] = frozenset({STOPPED, FAILED})
# An engine works on the run, or is about to; a run in another state is not expected in heartbeats.
LIVE: Final = frozenset(STATES) - ENDED
# Only engines report these, so a run that is silent in one of them is unknown. The platform sets `STARTING`
# itself.
SILENCE_COUNTS: Final = LIVE - {STARTING}
READING: Final[frozenset[RunState]] = frozenset({RUNNING, REPLAYING})
# Its queries are started; while it waits, they do.
STARTED: Final[frozenset[RunState]] = READING | {WAITING}
REPLAY_OVER: Final[frozenset[RunState]] = ENDED | {RUNNING}

NEXT: Final[Mapping[RunState, frozenset[RunState]]] = {
    STARTING: frozenset(STATES),
    RUNNING: frozenset({RUNNING, WAITING, STOPPING, STOPPED, FAILED}),
    REPLAYING: frozenset({REPLAYING, RUNNING, WAITING, STOPPING, STOPPED, FAILED}),
    WAITING: frozenset(STATES),
    STOPPING: frozenset({STOPPED}),
    STOPPED: frozenset(),
    FAILED: frozenset(),
}

HEARTBEAT_INTERVAL_S: Final = 2.0
SILENT_AFTER_US: Final = 8_000_000  # four missed heartbeats
UNREAD_AFTER_US: Final = 15_000_000  # reports that nobody has read for so long are not waited for


def may_follow(before: RunState, after: RunState) -> bool:
    """Whether an engine may report `after` for a run whose last state was `before`, in one epoch."""
    return after in NEXT[before]


def shown_state(state: str, seen_us: int | None, read_until_us: int | None, now_us: int) -> str:
    """A run's state, or `UNKNOWN` where only an engine can claim it and the run is silent.

    Args:
        state: as reported last, or `NEVER_STARTED`.
        seen_us: when the newest report of the run was written; None: never.
        read_until_us: as for `is_silent`.
        now_us: the present.
    """
    if state not in SILENCE_COUNTS:
        return state
    return UNKNOWN if seen_us is None or is_silent(seen_us, read_until_us, now_us) else state


def is_silent(seen_us: int, read_until_us: int | None, now_us: int) -> bool:
    """Whether too little was received of a live run to claim its state.

    What an engine sent and nobody has read yet is no silence.

    Args:
        seen_us: when the newest report of it was written.
        read_until_us: reports that were written before this instant are read; None: not known.
        now_us: the present.

    Returns:
        True when it sent nothing for 8 s of what was read, or when reports are not read any more (nothing for
        15 s) and the newest of this run is older than 8 s.
    """
    if read_until_us is None or now_us - read_until_us > UNREAD_AFTER_US:
        return now_us - seen_us > SILENT_AFTER_US
    return read_until_us - seen_us > SILENT_AFTER_US
