"""Lets runs start one after the other, and only while their host has processor time for them: however many
engines share it (`host_engines`).

Without it, thirty runs that start together compile and plan together, and commit together ever after: each
waits for all of them, so that none gives a result for a long time
(`docs/decisions/2026-11-24-starts-by-capacity.md`).
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from jobs.engine.host_engines import EngineShare, HostEngines
from jobs.engine.processor_load import Load
from jobs.kafka_messages import Failure

BURST: Final = 4  # starts that may happen at once
SPACING_S: Final = 1.0  # between starts beyond a burst
RECOVERY_SPACING_S: Final = 0.25  # between those of interrupted runs, while processors are idle
ALWAYS_ADMITTED_PER_CORE: Final = 4  # so many runs of a host start however busy it is
MAX_SHARE: Final = 0.85  # of the cores, by runs and all others: where more is used, results are late
START_CORES: Final = 0.1  # what a start takes, spread over the seconds in which the load is measured
SETTLED_S: Final = 10.0  # a start is in the measured load by then
MIN_RUN_CORES: Final = 0.01  # the least that one more run is expected to take
TOLD_AGAIN_S: Final = 60.0  # numbers of a reason that stays the same
_RECHECK_S: Final = 0.5
_RECOVERY_RECHECK_S: Final = 0.1


class StartGate:
    """Admits the starts of an engine's runs. Thread-safe.

    Args:
        load: returns the processor load; None while unknown.
        running: returns the number of runs whose queries have been started.
        clock: seconds of the host's monotonic clock.
        host: the other engines of the host; None: there is none.
        used: returns the cores in use on the host right now, by everything; None while unknown.
    """

    def __init__(
        self,
        load: Callable[[], Load | None],
        running: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        host: HostEngines | None = None,
        used: Callable[[], float | None] = lambda: None,
    ) -> None:
        self._load = load
        self.running = running
        self._clock = clock
        self._host = host
        self._used = used
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int, int]] = []  # (interrupted first, precedence, arrival)
        self._arrivals = 0
        self._admitted: list[float] = []  # when, of the last `SETTLED_S`, by this engine

    def runs_at_start(self) -> int:
        """How many runs share the host, the one that starts included."""
        return self.runs(starting=1)

    def runs(self, starting: int = 0) -> int:
        """How many runs share the host: those of all its engines whose queries have started, and these that
        start; or those that were let in lately, where that is more.
        """
        _, admitted, running = self._of_host(self._clock())
        return max(running + starting, len(admitted))

    def enter(
        self,
        should_wait: Callable[[], bool],
        on_queued: Callable[[Failure], None],
        *,
        admitted_before: bool,
        precedence: int = 0,
    ) -> bool:
        """Wait until a run may start.

        Args:
            should_wait: False ends the waiting.
            on_queued: called with the reason when the run has to wait, and again when that is another one.
            admitted_before: the run goes on after an interruption: it passes those that are new, and its load
                is not asked about.
            precedence: of runs that are equal otherwise, the lower comes first.

        Returns:
            True when it may start; False when waiting was ended.
        """
        with self._changed:
            self._arrivals += 1
            place = (0 if admitted_before else 1, precedence, self._arrivals)
            self._waiting.append(place)
            told, told_at = "", 0.0
            try:
                while should_wait():
                    reason = self._try(place, admitted_before=admitted_before)
                    if reason is None:
                        return True
                    if reason.code != told or self._clock() - told_at > TOLD_AGAIN_S:
                        on_queued(reason)
                        told, told_at = reason.code, self._clock()
                    self._changed.wait(_RECOVERY_RECHECK_S if admitted_before else _RECHECK_S)
                return False
            finally:
                self._waiting.remove(place)
                self._changed.notify_all()

    def tell(self) -> None:
        """Tell the host's other engines what this one uses."""
        if self._host is not None:
            load = self._load()
            self._host.tell(self.running(), load.engine if load else 0.0, tuple(self._admitted))

    def _try(self, place: tuple[int, int, int], *, admitted_before: bool) -> Failure | None:
        """Let the run at this place in, or say why it may not start now."""
        if self._host is None:
            return self._decide(place, admitted_before=admitted_before)
        with self._host.deciding() as decides:
            if not decides:
                return self._not_its_turn(place)
            reason = self._decide(place, admitted_before=admitted_before)
            if reason is None:
                self.tell()
            return reason

    def _decide(self, place: tuple[int, int, int], *, admitted_before: bool) -> Failure | None:
        now = self._clock()
        self._admitted = [at for at in self._admitted if now - at < SETTLED_S]
        others, admitted, running = self._of_host(now)
        load = _of_all_engines(self._load(), sum(each.cores for each in others))
        if not admitted_before:
            lack = _lack_of_capacity(load, running, len(admitted), 1 + len(others))
            if lack is not None:
                return lack
        if place != min(self._waiting) or not self._is_paced(
            admitted, now, load if admitted_before else None
        ):
            return self._not_its_turn(place)
        self._admitted.append(now)
        return None

    def _of_host(self, now: float) -> tuple[list[EngineShare], list[float], int]:
        """The host's other engines; when runs were let in too recently to be in the load, in order; and how
        many have started their queries.
        """
        others = self._host.others() if self._host is not None else []
        admitted = [*self._admitted, *(at for each in others for at in each.admitted)]
        running = self.running() + sum(each.running for each in others)
        return others, sorted(at for at in admitted if now - at < SETTLED_S), running

    def _is_paced(self, admitted: list[float], now: float, load: Load | None) -> bool:
        """Whether the next start would come soon enough after these.

        Args:
            admitted: when runs of the host were last let in, in order.
            now: the present.
            load: of the host, for a run that recovers: it had its share before, so idle processors are enough
                for it to start; None: it is new, or the load is unknown.
        """
        if sum(now - at < BURST * SPACING_S for at in admitted) < BURST:
            return True
        used = self._used() if load is not None else None
        idle = load is not None and used is not None and used < MAX_SHARE * load.cores
        return idle and now - admitted[-1] >= RECOVERY_SPACING_S

    def _not_its_turn(self, place: tuple[int, int, int]) -> Failure:
        before = sum(other < place for other in self._waiting)
        waits = f"{before} of this engine's jobs start before it. " if before else ""
        return Failure(
            code="STARTS_IN_TURN",
            message=f"Jobs start one after the other, so that running ones stay fast. {waits}"
            "The job starts by itself.",
        )


def _of_all_engines(load: Load | None, others: float) -> Load | None:
    """The load with the cores of the host's other engines counted as those of engines."""
    if load is None:
        return None
    return Load(engine=load.engine + others, others=max(load.others - others, 0.0), cores=load.cores)


def _lack_of_capacity(load: Load | None, running: int, admitted: int, engines: int) -> Failure | None:
    """Why the host has no processor time for one more run; None: it has.

    Args:
        load: of all engines of the host; None: unknown, so nothing is refused.
        running: runs of the host whose queries have been started.
        admitted: runs that were let in too recently to be in the load.
        engines: of the host.
    """
    if load is None:
        return None
    runs = max(running, admitted)
    if runs < ALWAYS_ADMITTED_PER_CORE * load.cores:
        return None
    per_run = max(load.engine / runs, MIN_RUN_CORES)
    expected = load.engine + per_run + admitted * (START_CORES + per_run)
    return None if expected <= load.left_for_engines(MAX_SHARE) else at_capacity(load, running, engines)


def at_capacity(load: Load, running: int, engines: int = 1) -> Failure:
    """The reason why a run waits for processor time.

    Args:
        load: of all engines of the host.
        running: their runs.
        engines: how many.
    """
    whose = "The engine's" if engines == 1 else f"The host's {engines} engines with"
    return Failure(
        code="AT_CAPACITY",
        message=(
            f"{whose} {running} runs use {load.engine:.1f} of {load.cores} cores, and other processes "
            f"of the host {load.others:.1f}. The job starts by itself when there is processor time for it. "
            "Stop jobs that nobody needs, or add cores."
        ),
    )
