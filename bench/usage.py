"""CPU time and memory of a set of processes, by name."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from weir.embedded.orphan_processes import find_processes


@dataclass(frozen=True)
class Use:
    """What one named process (its children included) used on average.

    Attributes:
        cores: CPU seconds per second.
        pss_mb: proportional memory, MiB: shared pages are divided among their users.
        rss_mb: resident memory, MiB.
    """

    cores: float
    pss_mb: float
    rss_mb: float


def cpu_seconds(tree: list[psutil.Process]) -> float:
    """CPU seconds spent so far, by processes that live and by their ended children."""
    total = 0.0
    for process in tree:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def memory(tree: list[psutil.Process]) -> tuple[float, float]:
    """(PSS, RSS) in MiB now."""
    pss = rss = 0.0
    for process in tree:
        try:
            pss += _pss(process.pid)
            rss += process.memory_info().rss / 2**20
        except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
            continue
    return pss, rss


def with_children(pid: int) -> list[psutil.Process]:
    """A process and all below it."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def cpu_below(pid: int, without: int = 0) -> float:
    """CPU seconds spent so far by a process and all below it, by those that have ended, too.

    Between two calls, a process that began meanwhile counts as well.

    Args:
        pid: of the process.
        without: a process below it that does not count, such as the broker; 0: none.
    """
    return cpu_seconds([each for each in with_children(pid) if each.pid != without])


def measure(
    trees: Callable[[], dict[str, list[psutil.Process]]], seconds: float, every: float = 5.0
) -> dict[str, Use]:
    """Average use over a span of time.

    Args:
        trees: gives name → processes, which may begin and end meanwhile; the sets must not overlap.
        seconds: how long to measure.
        every: how often memory is measured.
    """
    began = time.monotonic()
    before = {name: cpu_seconds(tree) for name, tree in trees().items()}
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in before}
    while time.monotonic() - began < seconds:
        for name, tree in trees().items():
            samples.setdefault(name, []).append(memory(tree))
        time.sleep(every)
    elapsed = time.monotonic() - began
    after = {name: cpu_seconds(tree) for name, tree in trees().items()}
    return {
        name: Use(
            (after.get(name, 0) - before.get(name, 0)) / elapsed,
            sum(pss for pss, _ in found) / len(found),
            sum(rss for _, rss in found) / len(found),
        )
        for name, found in samples.items()
        if name in after
    }


class Strangers:
    """CPU used by processes outside the measurement, to report how idle the machine was."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._began = time.monotonic()
        self._busy, self._own = _busy_seconds(), self._own_seconds()

    def cores(self) -> float:
        """Cores that strangers used on average since this object was made."""
        elapsed = time.monotonic() - self._began
        busy, own = _busy_seconds() - self._busy, self._own_seconds() - self._own
        return round(max(0.0, busy - own) / elapsed, 2)

    def _own_seconds(self) -> float:
        ours = {
            each.pid: each for each in [*with_children(psutil.Process().pid), *find_processes(self._data)]
        }
        return cpu_seconds(list(ours.values()))


def _busy_seconds() -> float:
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq)


def _pss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0
