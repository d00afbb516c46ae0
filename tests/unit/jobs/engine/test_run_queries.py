"""The queries of a run: all or none."""

from collections.abc import Callable
from typing import Any

import pytest

from jobs.engine.run_queries import RunQueries


class Query:
    """A query as RunQueries sees it."""

    def __init__(self, broken: bool = False) -> None:
        self.isActive = True
        self.broken = broken

    def stop(self) -> None:
        self.isActive = False
        if self.broken:
            raise RuntimeError("cannot stop")

    def exception(self) -> None:
        return None


def started(*queries: Query) -> RunQueries:
    def starter(query: Query) -> Callable[[], Any]:
        return lambda: query

    return RunQueries(
        {name: (None, starter(query)) for name, query in zip(("append", "update"), queries, strict=False)}
    )  # type: ignore[arg-type, misc]


def test_they_run_while_all_run() -> None:
    queries = Query(), Query()
    running = started(*queries)
    assert (len(running), running.active, running.refresh_due) == (2, True, False)
    queries[1].isActive = False
    assert not running.active
    assert running.failure().code == "ENGINE_ERROR"
    running.stop()
    assert not queries[0].isActive


def test_a_query_that_does_not_start_lets_none_run() -> None:
    first = Query()

    def refused() -> Any:
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        RunQueries({"append": (None, lambda: first), "update": (None, refused)})  # type: ignore[arg-type, return-value]
    assert not first.isActive


def test_a_query_that_cannot_be_stopped_leaves_no_other_running() -> None:
    queries = Query(), Query(broken=True)
    running = started(*queries)
    with pytest.raises(RuntimeError):
        running.stop()
    assert not queries[0].isActive


def test_a_drain_is_over_when_its_query_ended_without_an_error() -> None:
    query = Query()
    ends = {"s": {0: 7}}
    running = RunQueries({None: (None, lambda: query)}, ends)  # type: ignore[arg-type, dict-item, return-value]
    assert running.draining
    assert running.drained_to is None
    query.isActive = False
    assert running.drained_to == ends
    query.exception = lambda: ValueError("broken")  # type: ignore[assignment, method-assign, return-value]
    assert running.drained_to is None


def test_a_query_that_was_to_run_for_ever_drains_nothing() -> None:
    query = Query()
    running = started(query)
    query.isActive = False
    assert running.drained_to is None
