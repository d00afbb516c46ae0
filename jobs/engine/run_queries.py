"""The queries of one attempt of a run: either all of them run, or none."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.broadcast_refresh import RefreshTimer, refresh_now
from jobs.engine.early_batch_end import end_batches, forget_end
from jobs.engine.failures import PLAN_MARK, failure_of
from jobs.engine.pending_layouts import keep_now
from jobs.engine.state_snapshots import upload_snapshots
from jobs.kafka_messages import Failure, Positions
from jobs.plan import Plan, QueryName

Starter = Callable[[], StreamingQuery]


class RunQueries:
    """Starts queries in order. When one fails to start, those already started are stopped.

    Args:
        starters: by query name (None: the only query), its plan (None: a validator's) and a function that
            starts it.
        drain_to: the queries read what is in the topics now, at least up to these offsets, then end; None:
            they go on.
    """

    def __init__(
        self,
        starters: Mapping[QueryName | None, tuple[Plan | None, Starter]],
        drain_to: Positions | None = None,
    ) -> None:
        self._drain_to = drain_to
        plans = [plan for plan, _ in starters.values() if plan is not None]
        self._reads_changing_table = any(plan.reads_changing_table for plan in plans)
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
        """True while all queries run."""
        return all(query.isActive for query, _ in self._running)

    @property
    def reads_changing_table(self) -> bool:
        """True when a query reads a table as it grows."""
        return self._reads_changing_table

    @property
    def draining(self) -> bool:
        """True when the queries drain a backlog."""
        return self._drain_to is not None

    @property
    def drained_to(self) -> Positions | None:
        """The offsets that the queries have reached at least; None while they drain, after an error, and when
        they don't drain.
        """
        ended = all(not query.isActive and query.exception() is None for query, _ in self._running)
        return self._drain_to if ended else None

    @property
    def refresh_due(self) -> bool:
        """True when a query has to be restarted to reload a broadcast table; all are restarted together."""
        return refresh_now((timer for _, timer in self._running), (query for query, _ in self._running))

    @contextmanager
    def ending_batches(self) -> Iterator[None]:
        """Within, each query in real-time mode commits what it has read, and reads nothing more."""
        with ExitStack() as ended:
            for query, _ in self._running:
                ended.callback(forget_end, query)
                end_batches(query)
            yield

    def stop(self) -> None:
        """Stop the queries that still run, and wait for them. An error at one doesn't keep others running."""
        self._stops.close()

    def failure(self) -> Failure:
        """The failure of the first query, in order of start, that ended with an error; ENGINE_ERROR if none
        did.
        """
        for query, _ in self._running:
            if not query.isActive:
                error = query.exception()
                if isinstance(error, StreamingQueryException):
                    return failure_of(_with_causes(error), "StreamingQueryException")
        return failure_of("the query ended without an error")


def _with_causes(error: StreamingQueryException) -> str:
    """The text of an error, with what caused it before the plan; Spark's text leaves that out."""
    said, mark, plan = str(error).partition(PLAN_MARK)
    trace: str = getattr(getattr(error, "_cause", None), "_stackTrace", "")
    causes = [line for line in trace.splitlines() if line.strip() and not line.startswith("\t")]
    return "\n".join([said, *(line for line in causes if line not in said)]) + mark + plan


def _stop(query: StreamingQuery) -> None:
    if query.isActive:
        query.stop()
    keep_now(query)
    upload_snapshots(query)
