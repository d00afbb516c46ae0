"""What hostile input may cost."""

import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

SECONDS = 10  # of this process, where `_yardstick` takes no longer than `_YARDSTICK_S`
BYTES = 200_000_000
_YARDSTICK = "[" + ",".join(["{}"] * 200_000) + "]"
_YARDSTICK_S = 0.02
_FORGET = Path("/proc/self/clear_refs")  # Linux: writing 5 makes the peak start over


@contextmanager
def resource_limit(max_bytes: int = BYTES, seconds: float = SECONDS) -> Iterator[None]:
    """The block takes little CPU, and the process never grows much larger than it was before.

    A machine whose cores are slower, or wait longer for memory that others use, is given more seconds: the
    same block has taken 3 s on one and 10 s on another.
    """
    yardstick = _yardstick()
    _forget_peak()
    before, began = psutil.Process().memory_info().rss, time.process_time()
    yield
    took, grew = time.process_time() - began, _peak() - before
    allowed = seconds * max(1.0, max(yardstick, _yardstick()) / _YARDSTICK_S)
    assert took < allowed, f"{took:.1f} s of processor time, allowed {allowed:.1f} s"
    assert grew < max_bytes, f"{grew / 1e6:.0f} MB at its peak"


def _yardstick() -> float:
    """Seconds of CPU that a known work takes here and now."""
    return min(_seconds_of_yardstick() for _ in range(2))  # the first grows the heap


def _seconds_of_yardstick() -> float:
    began = time.process_time()
    json.loads(_YARDSTICK)
    return time.process_time() - began


def _forget_peak() -> None:
    if sys.platform == "linux":
        _FORGET.write_text("5")


def _peak() -> int:
    """The largest resident size in bytes since `_forget_peak`.

    Where that does nothing, since the process began: then what stays below an earlier peak is not seen.
    """
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
