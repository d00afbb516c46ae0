"""Lets runs of one engine start one after the other, and only while its host has processor time for them.

Without it, thirty runs that start together compile and plan together, and commit together ever after: each
waits for all of them, so that none gives a result for a long time
(`docs/decisions/2026-11-24-starts-by-capacity.md`).
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from jobs.engine.processor_load import Load
from jobs.kafka_messages import Failure

BURST: Final = 4  # starts that may happen at once
SPACING_S: Final = 1.0  # between starts beyond a burst
ALWAYS_ADMITTED_PER_CORE: Final = 4  # so many runs start however busy the host is
MAX_SHARE: Final = 0.85  # of the available cores that runs may use
START_CORES: Final = 0.1  # what a start takes, spread over the seconds in which the load is measured
SETTLED_S: Final = 10.0  # a start is in the measured load by then
MIN_RUN_CORES: Final = 0.01  # the least that one more run is expected to take
_RECHECK_S: Final = 0.5


class StartGate:
    """Admits the starts of an engine's runs. Thread-safe.

    Args:
        load: returns the processor load; None while unknown.
        running: returns the number of runs whose queries have been started.
        clock: seconds of a monotonic clock.
    """

    def __init__(
        self,
        load: Callable[[], Load | None],
        running: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load = load
        self.running = running
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []  # (priority, arrival)
        self._arrivals = 0
        self._admitted: list[float] = []  # when, of the last `SETTLED_S`

    def enter(
        self,
        should_wait: Callable[[], bool],
        on_queued: Callable[[Failure], None],
        *,
        admitted_before: bool,
    ) -> bool:
        """Wait until a run may start.

        Args:
            should_wait: False ends the waiting.
            on_queued: called with the reason, once, when the run has to wait for processor time.
            admitted_before: the run goes on after an interruption: it passes those that are new, and its load
                is not asked about.

        Returns:
            True when it may start; False when waiting was ended.
        """
        with self._changed:
            self._arrivals += 1
            place = (0 if admitted_before else 1, self._arrivals)
            self._waiting.append(place)
            told = False
            try:
                while should_wait():
                    reason = self._refusal(place, admitted_before=admitted_before)
                    if reason is None:
                        self._admitted.append(self._clock())
                        return True
                    if isinstance(reason, Failure) and not told:
                        on_queued(reason)
                        told = True
                    self._changed.wait(_RECHECK_S)
                return False
            finally:
                self._waiting.remove(place)
                self._changed.notify_all()

    def _refusal(self, place: tuple[int, int], *, admitted_before: bool) -> Failure | str | None:
        """Why the run at this place may not start now; None: it may. Only a lack of capacity is a failure."""
        now = self._clock()
        self._admitted = [at for at in self._admitted if now - at < SETTLED_S]
        lack = None if admitted_before else self._lack_of_capacity()
        if lack is not None:
            return lack
        if place != min(self._waiting):
            return "others come first"
        recent = [at for at in self._admitted if now - at < BURST * SPACING_S]
        return "others are starting" if len(recent) >= BURST else None

    def _lack_of_capacity(self) -> Failure | None:
        load, running = self._load(), self.running()
        if load is None:
            return None
        runs = max(running, len(self._admitted))
        if runs < ALWAYS_ADMITTED_PER_CORE * load.cores:
            return None
        per_run = max(load.engine / runs, MIN_RUN_CORES)
        expected = load.engine + per_run + len(self._admitted) * (START_CORES + per_run)
        if expected <= MAX_SHARE * load.available:
            return None
        return at_capacity(load, running)


def at_capacity(load: Load, running: int) -> Failure:
    """The reason why a run waits for processor time."""
    return Failure(
        code="AT_CAPACITY",
        message=(
            f"The engine's {running} runs use {load.engine:.1f} of {load.cores} cores, and other processes "
            f"of the host {load.others:.1f}. The job starts by itself when there is processor time for it. "
            "Stop jobs that nobody needs, or add cores."
        ),
    )
