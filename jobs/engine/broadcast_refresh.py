"""When a query is restarted to reload a broadcast table (`docs/semantics/table-join.md#broadcast`).

Spark loads a broadcast table when the query is built, so reloading it needs a new query on the same
checkpoint. The restart waits for the end of a batch: an interrupted batch would run again with the new table
after having written output based on the old one.
"""

import time
from collections.abc import Callable, Iterable
from typing import Final

from pyspark.sql.streaming.query import StreamingQuery

from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Plan

MAX_DEFERRAL_S: Final = 30.0
"""How long a query that is never idle between batches may defer its restart."""


class RefreshTimer:
    """The time of the next restart of one query.

    Args:
        plan: of the query; None, or without a `refresh`: no restart is ever due.
        clock: returns monotonic time in seconds.
    """

    def __init__(self, plan: Plan | None, clock: Callable[[], float] = time.monotonic) -> None:
        bounds = [
            node.bound for node in (plan.live_nodes if plan else ()) if isinstance(node.bound, TableJoinBound)
        ]
        spans = [
            bound.broadcast.refresh.us
            for bound in bounds
            if bound.broadcast is not None and bound.broadcast.refresh is not None
        ]
        self._clock = clock
        self._at = clock() + min(spans) / 1_000_000 if spans else None

    @property
    def due(self) -> bool:
        """True when a refresh is due."""
        return self._at is not None and self._clock() >= self._at

    @property
    def overdue(self) -> bool:
        """True when it has been deferred long enough."""
        return self._at is not None and self._clock() >= self._at + MAX_DEFERRAL_S


def refresh_now(timers: Iterable[RefreshTimer], queries: Iterable[StreamingQuery]) -> bool:
    """Whether to restart the queries of a run, which are restarted together: a refresh is due, and all of
    them are between two batches, or it has been deferred long enough.
    """
    due = [timer for timer in timers if timer.due]
    if not due:
        return False
    return any(timer.overdue for timer in due) or not any(map(_is_busy, queries))


def _is_busy(query: StreamingQuery) -> bool:
    return bool(query.status["isTriggerActive"])
