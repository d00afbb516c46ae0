"""The states of a run, their transitions, and when the state of a silent run is unknown.

The desired state, which the user asked for, and the observed state, which the engine reported, are never
derived from each other (`docs/architecture.md#desired-and-observed`). The engine moves a run along `NEXT`.
The platform accepts any state that is reported for the run's epoch, because reports may be lost; it begins
every epoch as `STARTING`, and ends the runs of an engine whose process is gone. After a state of `ENDED` only
the next epoch has another one.
"""

from collections.abc import Mapping
from typing import Final, Literal

DesiredState = Literal["running", "stopped"]  # of a run; a job may also be deleted
RunState = Literal["starting", "queued", "running", "replaying", "waiting", "stopping", "stopped", "failed"]

STARTING: Final = "starting"  # requested, or its queries are being started
QUEUED: Final = "queued"  # waits for processor time of its engine's host, for its turn, or for an engine
RUNNING: Final = "running"
REPLAYING: Final = "replaying"  # reads input again that was read before a restart
WAITING: Final = "waiting"  # a cluster does not respond
STOPPING: Final = "stopping"
STOPPED: Final = "stopped"
FAILED: Final = "failed"

# Shown instead of a state, and never reported.
UNKNOWN: Final = "unknown"  # the run should be live, but is silent
NEVER_STARTED: Final = "never_started"  # the job has no run

STATES: Final[tuple[RunState, ...]] = (
    STARTING,
    QUEUED,
    RUNNING,
    REPLAYING,
    WAITING,
    STOPPING,
    STOPPED,
    FAILED,
)
ENDED: Final[frozenset[RunState]] = frozenset({STOPPED, FAILED})
# An engine executes the run, or is about to; runs in other states are not expected in heartbeats.
LIVE: Final = frozenset(STATES) - ENDED
# Only engines report these, so a silent run in one of them is unknown. The platform also sets `STARTING`.
SILENCE_COUNTS: Final = LIVE - {STARTING}
READING: Final[frozenset[RunState]] = frozenset({RUNNING, REPLAYING})
# Its queries have been started, and may be waiting for a cluster.
STARTED: Final[frozenset[RunState]] = READING | {WAITING}
REPLAY_OVER: Final[frozenset[RunState]] = ENDED | {RUNNING}

NEXT: Final[Mapping[RunState, frozenset[RunState]]] = {
    STARTING: frozenset(STATES),
    QUEUED: frozenset({QUEUED, STARTING, WAITING, STOPPING, STOPPED, FAILED}),
    RUNNING: frozenset({RUNNING, REPLAYING, QUEUED, WAITING, STOPPING, STOPPED, FAILED}),
    REPLAYING: frozenset({REPLAYING, RUNNING, QUEUED, WAITING, STOPPING, STOPPED, FAILED}),
    WAITING: frozenset(STATES),
    STOPPING: frozenset({STOPPED}),
    STOPPED: frozenset(),
    FAILED: frozenset(),
}

HEARTBEAT_INTERVAL_S: Final = 2.0
SILENT_AFTER_US: Final = 8_000_000  # four missed heartbeats
UNREAD_AFTER_US: Final = 15_000_000  # when reports have not been read for so long, stop waiting for them


def may_follow(before: RunState, after: RunState) -> bool:
    """Whether an engine may report `after` for a run whose last state was `before`, in one epoch."""
    return after in NEXT[before]


def shown_state(
    state: str, seen_us: int | None, read_until_us: int | None, now_us: int, *, placed: bool = True
) -> str:
    """A run's state, or `UNKNOWN` where only an engine can claim it and the run is silent.

    Args:
        state: as last reported, or `NEVER_STARTED`.
        seen_us: when the newest report of the run was written; None: there is none.
        read_until_us: as for `is_silent`.
        now_us: the present instant.
        placed: an engine has the run; False: it is queued for one, which only the platform knows.
    """
    if state not in SILENCE_COUNTS or (state == QUEUED and not placed):
        return state
    return UNKNOWN if seen_us is None or is_silent(seen_us, read_until_us, now_us) else state


def is_silent(seen_us: int, read_until_us: int | None, now_us: int) -> bool:
    """Whether the last report of a live run is too old to claim its state.

    Reports that were sent but not read yet do not count as silence.

    Args:
        seen_us: when the newest report of the run was written.
        read_until_us: all reports that were written before this instant have been read; None: unknown.
        now_us: the present instant.

    Returns:
        True when the run sent nothing in the last 8 s of the reports that were read, or when the newest of
        its reports is older than 8 s and reports are not read any more (for 15 s).
    """
    if read_until_us is None or now_us - read_until_us > UNREAD_AFTER_US:
        return now_us - seen_us > SILENT_AFTER_US
    return read_until_us - seen_us > SILENT_AFTER_US
