"""What hostile input may cost."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

SECONDS = 10  # of this process, however busy the machine is
BYTES = 200_000_000
_FORGET = Path("/proc/self/clear_refs")  # Linux: writing 5 makes the peak start over


@contextmanager
def resource_limit(max_bytes: int = BYTES, seconds: float = SECONDS) -> Iterator[None]:
    """The block takes little CPU, and the process never grows much larger than it was before."""
    _forget_peak()
    before, began = psutil.Process().memory_info().rss, time.process_time()
    yield
    took, grew = time.process_time() - began, _peak() - before
    assert took < seconds, f"{took:.1f} s of processor time"
    assert grew < max_bytes, f"{grew / 1e6:.0f} MB at its peak"


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
