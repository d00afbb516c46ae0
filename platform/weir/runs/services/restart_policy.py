"""When a crashed or failed run or engine is started again, and when no more.

- A failure spends some of the crash budget, unless it is permanent or of those that end once somebody has put
  right what is around the run. Each further attempt waits longer; with the budget spent, the run or engine
  has failed until somebody starts it (`states`, `engines`).
- Of a shared engine that crashes again, the newest runs are tried on the isolation engine, in halves
  (`isolation`). One that was killed from outside costs nothing (`engine_deaths`).
"""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from jobs.base.instants import instant_of

MAX_CRASHES: Final = 5  # within `CRASH_SPAN`; the message in `engines` says both in words
CRASH_SPAN: Final = timedelta(minutes=10)
BACKOFF_S: Final = (1, 2, 5, 10, 30)  # before the attempt after the first, second, … crash; then the last

RETRIED_EVERY_S: Final = {"BROKER_UNREACHABLE": 1, "DISK_FULL": 30, "CHECKPOINT_MISSING": 30}
"""Pauses of what is tried again as long as it takes, by code of the failure."""

ENGINE_ERROR: Final = "ENGINE_ERROR"  # code of the failure of runs that ended with their engine

PROVEN_AFTER: Final = timedelta(minutes=30)  # a run that has run so long is the last to be suspected
ISOLATION_START: Final = timedelta(seconds=20)  # of the isolation engine after a crash, about
_MIN_PROOF: Final = timedelta(seconds=10)
_MAX_PROOF: Final = timedelta(seconds=60)
MAX_TRIAL: Final = ISOLATION_START + _MAX_PROOF
"""How long a run may be tried, whatever it does: others wait for the end of its trial."""


def spend_crash(crashes: list[int]) -> tuple[list[int], bool]:
    """Count a crash that happened now.

    Args:
        crashes: the instants (µs) of earlier ones.

    Returns:
        Those within `CRASH_SPAN` and the new one, and whether the budget is spent.
    """
    now = instant_of(timezone.now())
    span = CRASH_SPAN // timedelta(microseconds=1)
    recent = [*(at for at in crashes if now - at < span), now]
    return recent, len(recent) >= MAX_CRASHES


def backoff(crashes: int) -> timedelta:
    """The pause before the next attempt, after so many counted crashes; 0: only an uncounted failure."""
    return timedelta(seconds=BACKOFF_S[min(max(crashes, 1), len(BACKOFF_S)) - 1])


def next_retry(code: str, crashes: list[int]) -> tuple[list[int], timedelta | None]:
    """What a failure of a run that is not permanent leads to.

    Args:
        code: of the failure.
        crashes: the instants (µs) of counted crashes.

    Returns:
        The counted crashes now, and the pause before the next attempt; None: the budget is spent.
    """
    every = RETRIED_EVERY_S.get(code)
    if every is not None:
        return crashes, max(timedelta(seconds=every), backoff(len(crashes)))
    counted, spent = spend_crash(crashes)
    return counted, None if spent else backoff(len(counted))


def proof_time(lasted: timedelta | None) -> timedelta:
    """How long a run in isolation has to run to be innocent: twice as long as its engine lasted before.

    Args:
        lasted: from the start of its epoch to that engine's crash; None: unknown.
    """
    return _MAX_PROOF if lasted is None else min(max(2 * lasted, _MIN_PROOF), _MAX_PROOF)
