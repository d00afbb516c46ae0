"""Work that one thread of a worker does at a time: else a pass that takes longer than its interval takes one
thread after the other, until none is left for anything else.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Final

_TAKEN: Final[set[str]] = set()
_TAKEN_LOCK: Final = threading.Lock()


@contextmanager
def taken(name: str) -> Iterator[bool]:
    """True for the first thread of this process that comes with this name, until it leaves; False for others,
    who do nothing.
    """
    with _TAKEN_LOCK:
        is_first = name not in _TAKEN
        if is_first:
            _TAKEN.add(name)
    try:
        yield is_first
    finally:
        if is_first:
            with _TAKEN_LOCK:
                _TAKEN.remove(name)


def one_thread(work: Callable[[], None]) -> Callable[[], None]:
    """The work, for one thread of this process; another that comes meanwhile returns at once, without it."""
    name = f"{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def alone() -> None:
        with taken(name) as is_first:
            if is_first:
                work()

    return alone
