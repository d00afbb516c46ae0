"""The queries of one attempt of a run: all of them run, or none."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.broadcast_refresh import RefreshTimer
from jobs.engine.failures import failure_of
from jobs.kafka_messages import Failure
from jobs.plan import Plan, QueryName

Starter = Callable[[], StreamingQuery]


class RunQueries:
    """Started in order; as soon as one fails to start, or ends, all of them are stopped.

    Args:
        starters: by name of each query its plan and what starts it (no plan: the query of a validator).
        drain: they read what is in the topics now, and end.
    """

    def __init__(
        self, starters: Mapping[QueryName | None, tuple[Plan | None, Starter]], *, drain: bool = False
    ) -> None:
        self._drain = drain
        self._running: list[tuple[StreamingQuery, RefreshTimer]] = []
        with ExitStack() as stops:
            for plan, start in starters.values():
                query = start()
                stops.callback(_stop, query)
                self._running.append((query, RefreshTimer(plan)))
            self._stops = stops.pop_all()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def active(self) -> bool:
        """True while all of them run."""
        return all(query.isActive for query, _ in self._running)

    @property
    def drained(self) -> bool:
        """True when they were to drain a backlog, and have ended without an error."""
        return self._drain and all(
            not query.isActive and query.exception() is None for query, _ in self._running
        )

    @property
    def refresh_due(self) -> bool:
        """True when one has to be restarted to reload a broadcast table;
        all of them are then restarted together.
        """
        return any(timer.due(query) for query, timer in self._running)

    def stop(self) -> None:
        """Stop the queries that still run; returns when none does.

        An error of one leaves none of the others running.
        """
        self._stops.close()

    def failure(self) -> Failure:
        """The error of the first query that ended."""
        for query, _ in self._running:
            if not query.isActive:
                error = query.exception()
                if isinstance(error, StreamingQueryException):
                    return failure_of(str(error), "StreamingQueryException")
        return failure_of("the query ended without an error")


def _stop(query: StreamingQuery) -> None:
    if query.isActive:
        query.stop()
