"""Layouts of state that are still to be kept (`jobs.engine.checkpoints.keep_layout`).

Spark plans a query once more for one. The query's first rows don't wait for that, so it is done a little
later, or as soon as the query is stopped: its next version may ask for the layout at once.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pyspark.sql.streaming.query import StreamingQuery

_AFTER_S: Final = 1.5


@dataclass(eq=False)
class _Pending:
    keep: Callable[[], None]
    timer: threading.Timer | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    done: bool = False

    def run(self) -> None:
        with self.lock:
            if not self.done:
                self.done = True
                self.keep()


_pending: Final[dict[StreamingQuery, _Pending]] = {}


def keep_later(query: StreamingQuery, keep: Callable[[], None]) -> None:
    """Keep a layout in a thread of its own.

    Args:
        query: that runs.
        keep: keeps it, and raises nothing.
    """
    pending = _pending[query] = _Pending(keep)

    def due() -> None:
        pending.run()
        _pending.pop(query, None)

    pending.timer = threading.Timer(_AFTER_S, due)
    pending.timer.daemon = True
    pending.timer.start()


def keep_now(query: StreamingQuery) -> None:
    """Keep the layout of a query that has been stopped, unless that is done; returns once it is."""
    pending = _pending.pop(query, None)
    if pending is not None:
        if pending.timer is not None:
            pending.timer.cancel()
        pending.run()
