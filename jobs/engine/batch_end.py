"""The wish to end a run's queries at the end of a batch, so that the next epoch has nothing to read again."""

import time
from collections.abc import Callable


class BatchEnd:
    """Knows whether a batch has ended since that was asked, or the wait has become too long.

    Args:
        boundaries: returns how often a query was seen between two batches.
        clock: seconds of a monotonic clock.
    """

    def __init__(self, boundaries: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self._boundaries = boundaries
        self._clock = clock
        self._asked_at: int | None = None
        self._latest = 0.0

    def ask(self, within_s: float) -> None:
        """Ask for the end of the present batch, at most so many seconds from now; once."""
        if self._asked_at is None:
            self._latest = self._clock() + within_s
            self._asked_at = self._boundaries()

    @property
    def asked(self) -> bool:
        """True when it was asked for."""
        return self._asked_at is not None

    @property
    def reached(self) -> bool:
        """True when it was asked for, and a batch has ended since."""
        return self._asked_at is not None and self._boundaries() > self._asked_at

    @property
    def overdue(self) -> bool:
        """True when it was asked for, and is waited for no longer."""
        return self._asked_at is not None and self._clock() > self._latest
