"""What some work costs: processor time, and memory at its peak."""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time of this thread, megabytes of Python's objects at the peak, and what came
    back or was raised.
    """

    seconds: float
    megabytes: float
    found: Any


def cost(work: Callable[[], Any]) -> Cost:
    """Do some work once; memory is traced, which takes several times as long."""
    tracemalloc.start()
    began = time.thread_time()
    try:
        found = work()
    except Exception as error:  # noqa: BLE001  (what it is, the test says)
        found = error
    seconds, peak = time.thread_time() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Cost(seconds, peak / 1_000_000, found)
