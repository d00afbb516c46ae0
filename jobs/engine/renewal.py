"""When a query is started anew, because a table that it copied is to be read again (`docs/semantics/table-join.md#broadcast`).

Spark fixes a copy when a query is made, so a new one means a new query on the same checkpoint. It is made between two
batches: a batch that is broken off is done again, with the new copy, beside what it has written with the old one.
"""

import time
from collections.abc import Callable
from typing import Final

from pyspark.sql.streaming.query import StreamingQuery

from jobs.operators.table_join import TableJoinBound
from jobs.plan import Plan

PATIENCE_SECONDS: Final = 30.0
"""How long a query that never rests may put its new copy off."""


class Renewal:
    """The clock of one start of a query.

    Args:
        plan: of its document; None, or without a `refresh`: it is never due.
        clock: seconds that only grow.
    """

    def __init__(self, plan: Plan | None, clock: Callable[[], float] = time.monotonic) -> None:
        bounds = [node.bound for node in (plan.live_nodes if plan else ()) if isinstance(node.bound, TableJoinBound)]
        spans = [bound.copy.refresh.us for bound in bounds if bound.copy is not None and bound.copy.refresh is not None]
        self._clock = clock
        self._at = clock() + min(spans) / 1_000_000 if spans else None

    def due(self, query: StreamingQuery) -> bool:
        """True when the time has come, and the query rests or has not rested for long."""
        if self._at is None or self._clock() < self._at:
            return False
        return not query.status["isTriggerActive"] or self._clock() >= self._at + PATIENCE_SECONDS
