"""Work that one thread of a worker does at a time: else a pass that takes longer than its interval takes one
thread after the other, until none is left for anything else.
"""

import threading
from collections.abc import Callable
from functools import wraps


def one_thread(work: Callable[[], None]) -> Callable[[], None]:
    """The work, for one thread of this process; another that comes meanwhile returns at once, without it."""
    lock = threading.Lock()

    @wraps(work)
    def alone() -> None:
        if lock.acquire(blocking=False):
            try:
                work()
            finally:
                lock.release()

    return alone
