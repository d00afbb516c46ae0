"""What hostile input may cost."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

SECONDS = 10  # of this process, however busy the machine is
BYTES = 200_000_000


@contextmanager
def bounded() -> Iterator[None]:
    """The block takes little processor time, and the process is not much larger after it."""
    process, began = psutil.Process(), time.process_time()
    before = process.memory_info().rss
    yield
    assert time.process_time() - began < SECONDS
    assert process.memory_info().rss - before < BYTES
