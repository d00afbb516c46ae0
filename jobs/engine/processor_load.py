"""How much processor time an engine and its host have used lately, from `/proc`. Where a container or service
is limited to fewer cores (`jobs.base.host_limits`), these are the host.
"""

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobs.base.host_limits import HostLimits

WINDOW_S: Final = 20.0
NOW_S: Final = 2.0  # what counts as now
MIN_SHARE: Final = 0.5  # of what may be used: what engines may count on, however busy others are
_LIMITS: Final = HostLimits()
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    """Processor time per second over the last `WINDOW_S`, in cores.

    Attributes:
        engine: of the engine's own processes, without Spark's Python workers.
        others: of everything else on the host.
        cores: of the host.
    """

    engine: float
    others: float
    cores: int

    def left_for_engines(self, share: float) -> float:
        """Cores that engines may use so that this share of the host's is used by all: what others leave of
        it, and at least `MIN_SHARE` of it.
        """
        usable = share * self.cores
        return max(usable - self.others, usable * MIN_SHARE)


@dataclass(frozen=True)
class _Sample:
    at: float  # seconds of a monotonic clock
    engine: float  # seconds of processor time since the start
    host: float


class ProcessorLoad:
    """Samples processor time; one thread samples, any may read.

    Args:
        pids: of the engine's processes.
        times: returns the processor time in seconds of these processes, and that of the whole host.
        cores: of the host; None: as the system says.
    """

    def __init__(
        self,
        pids: tuple[int, ...],
        times: Callable[[tuple[int, ...]], tuple[float, float]] | None = None,
        cores: int | None = None,
    ) -> None:
        self._pids = pids
        self._times = times or processor_times
        self._cores = cores or _LIMITS.cores()
        self._samples: deque[_Sample] = deque()

    def sample(self, now: float) -> None:
        """Take a sample.

        Args:
            now: seconds of a monotonic clock.
        """
        engine, host = self._times(self._pids)
        self._samples.append(_Sample(now, engine, host))
        while len(self._samples) > 2 and self._samples[1].at <= now - WINDOW_S:
            self._samples.popleft()

    def load(self) -> Load | None:
        """The load over the sampled time, at most `WINDOW_S`; None before the second sample."""
        samples = self._samples
        if len(samples) < 2:
            return None
        first, last = samples[0], samples[-1]
        seconds = last.at - first.at
        if seconds <= 0:
            return None
        engine = max(last.engine - first.engine, 0.0) / seconds
        host = max(last.host - first.host, 0.0) / seconds
        return Load(engine=engine, others=max(host - engine, 0.0), cores=self._cores)


class HostUse:
    """The cores that are in use on the host now: measured when somebody asks, over the last second or two.
    One thread at a time may ask.

    Args:
        time: returns the processor time of the whole host in seconds.
    """

    def __init__(self, time: Callable[[], float] | None = None) -> None:
        self._time = time or _host_time
        self._samples: deque[tuple[float, float]] = deque()  # (seconds of a monotonic clock, processor time)

    def cores(self, now: float) -> float | None:
        """Cores in use; None where nobody asked within the last seconds.

        Args:
            now: seconds of a monotonic clock.
        """
        while self._samples and self._samples[0][0] < now - NOW_S:
            self._samples.popleft()
        self._samples.append((now, self._time()))
        seconds = now - self._samples[0][0]
        return None if seconds < NOW_S / 4 else (self._samples[-1][1] - self._samples[0][1]) / seconds


def processor_times(pids: tuple[int, ...]) -> tuple[float, float]:
    """Processor time in seconds: of these processes (0 for one that is gone), and of the whole host."""
    return sum(_process_time(pid) for pid in pids), _host_time()


def _process_time(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS  # utime, stime


def _host_time() -> float:
    """Of all processes since the start of the host: what is neither idle nor waiting for a disk."""
    limited = _LIMITS.processor_time()
    if limited is not None:
        return limited
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().partition("\n")[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / _TICKS
