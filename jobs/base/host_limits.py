"""What this process may use of its host. A container, or a service of systemd, may be allowed less than there
is, and the kernel ends what takes more memory.

Control groups of Linux, of both versions. Nothing is kept: limits may change while a process runs.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_UNLIMITED: Final = 1 << 60  # bytes; version 1 writes the largest number of pages for "none"


@dataclass(frozen=True)
class HostLimits:
    """Reads the limits of this process.

    Attributes:
        groups: where control groups are mounted.
        membership: says to which this process belongs.
    """

    groups: Path = field(default=Path("/sys/fs/cgroup"))
    membership: Path = field(default=Path("/proc/self/cgroup"))

    def cores(self) -> int:
        """Cores that this process may use at the same time, rounded down; at least one."""
        allowed = float(len(os.sched_getaffinity(0)))
        quota = self._quota()
        return max(int(allowed if quota is None else min(allowed, quota[0])), 1)

    def memory_available(self, on_host: int) -> int:
        """Bytes that may still be taken.

        Args:
            on_host: available on the host.
        """
        return max(min([on_host, *self._memory_left()]), 0)

    def processor_time(self) -> float | None:
        """Seconds of processor time that were taken by all processes that share the cores which this one is
        limited to; None: nothing limits them, so they are those of the host.
        """
        quota = self._quota()
        return None if quota is None else quota[1]

    def _quota(self) -> tuple[float, float | None] | None:
        """Cores of the narrowest limit, and processor time of those whom it limits, in seconds."""
        found = []
        for group, name in self._groups_of("cpu"):
            cores = _quota_of(group)
            if cores is not None:
                found.append((cores, _time_of(group, self.groups / "cpuacct" / name)))
        return min(found, key=lambda quota: quota[0], default=None)

    def _memory_left(self) -> Iterator[int]:
        for group, _ in self._groups_of("memory"):
            limit = _number(group / "memory.max") or _number(group / "memory.limit_in_bytes")
            used = _number(group / "memory.current") or _number(group / "memory.usage_in_bytes")
            if limit is not None and used is not None and limit < _UNLIMITED:
                # Pages of files that nobody has used for long are taken back before anything is ended.
                unused = _values(group / "memory.stat", "inactive_file", "total_inactive_file")
                yield limit - max(used - max(unused, default=0), 0)

    def _groups_of(self, controller: str) -> Iterator[tuple[Path, str]]:
        """Folders and names of this process's group for a controller and of all groups around it.

        A container sees its own group as the outermost one, and may not see the name that the host gave it.
        """
        paths = self._paths()
        # Version 1 has a tree for each controller, version 2 one for all.
        root = self.groups / controller if controller in paths else self.groups
        path = paths.get(controller, paths.get("", ""))
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for count in range(len(parts), -1, -1):
            group = root.joinpath(*parts[:count])
            if group.is_dir():
                yield group, "/".join(parts[:count])

    def _paths(self) -> dict[str, str]:
        """This process's group, by controller; "": of the one tree of version 2."""
        try:
            lines = self.membership.read_text().splitlines()
        except OSError:  # no Linux, or it is hidden
            return {}
        found = {}
        for line in lines:
            _, controllers, path = line.split(":", 2)
            found.update(dict.fromkeys(controllers.split(","), path))
        return found


def _quota_of(group: Path) -> float | None:
    """Cores; None: no limit."""
    text = _text(group / "cpu.max")
    if text is not None:  # "max 100000", or "150000 100000"
        quota, _, period = text.partition(" ")
        return None if quota == "max" else int(quota) / int(period)
    allowed, period_us = _number(group / "cpu.cfs_quota_us"), _number(group / "cpu.cfs_period_us")
    return None if allowed is None or not period_us or allowed < 0 else allowed / period_us


def _time_of(group: Path, accounts: Path) -> float | None:
    """Processor time in seconds; `accounts` has it in version 1."""
    for microseconds in _values(group / "cpu.stat", "usage_usec"):
        return microseconds / 1e6
    nanoseconds = _number(accounts / "cpuacct.usage")
    return None if nanoseconds is None else nanoseconds / 1e9


def _values(file: Path, *names: str) -> list[int]:
    """The values of these names, of those that a file has."""
    lines = [line.partition(" ") for line in (_text(file) or "").splitlines()]
    return [int(value) for name, _, value in lines if name in names]


def _number(file: Path) -> int | None:
    text = _text(file)
    return None if text is None or text == "max" else int(text)


def _text(file: Path) -> str | None:
    try:
        return file.read_text().strip()
    except OSError:
        return None
