"""How much processor time an engine and its host have used lately, from `/proc`."""

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

WINDOW_S: Final = 20.0
MIN_SHARE: Final = 0.5  # of the host's cores: what an engine may count on, however busy others are
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

    @property
    def available(self) -> float:
        """Cores that the engine can use: those that others leave, and at least `MIN_SHARE` of all."""
        return max(self.cores - self.others, self.cores * MIN_SHARE)


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
        self._cores = cores or os.cpu_count() or 1
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
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().partition("\n")[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / _TICKS
