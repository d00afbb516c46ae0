"""The queries of one attempt of a run, one per stage: all of them run, or none."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.failures import failure_of
from jobs.engine.renewal import Renewal
from jobs.messages import Failure
from jobs.plan import Plan, StageName

Starter = Callable[[], StreamingQuery]


class StageQueries:
    """Started in order; as soon as one does not start, or ends, none of them goes on.

    Args:
        starters: by stage what starts its query, with its plan (None: of a guard).
    """

    def __init__(self, starters: Mapping[StageName | None, tuple[Plan | None, Starter]]) -> None:
        self._running: list[tuple[StreamingQuery, Renewal]] = []
        with ExitStack() as ends:
            for plan, start in starters.values():
                query = start()
                ends.callback(_end, query)
                self._running.append((query, Renewal(plan)))
            self._ends = ends.pop_all()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def active(self) -> bool:
        """True while all of them run."""
        return all(query.isActive for query, _ in self._running)

    @property
    def renewal_due(self) -> bool:
        """True when one is to be started anew; they are then started anew together."""
        return any(renewal.due(query) for query, renewal in self._running)

    def stop(self) -> None:
        """End what still runs; returns when nothing does. An error of one leaves none of the others running."""
        self._ends.close()

    def failure(self) -> Failure:
        """Why the first that ended has ended."""
        for query, _ in self._running:
            if not query.isActive:
                error = query.exception()
                if isinstance(error, StreamingQueryException):
                    return failure_of(str(error), "StreamingQueryException")
        return failure_of("the query ended without an error")


def _end(query: StreamingQuery) -> None:
    if query.isActive:
        query.stop()
