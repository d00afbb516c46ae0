"""A layout is kept once: a little after the start, or when the query is stopped before."""

import threading
from typing import Any, cast

import pytest

from jobs.engine import pending_layouts
from jobs.engine.pending_layouts import keep_later, keep_now

LONG_S = 600.0


class Query:
    """Stands for a query of Spark's, of which nothing is asked."""


def query() -> Any:
    return cast(Any, Query())


def test_a_query_that_is_stopped_early_keeps_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_layouts, "_AFTER_S", LONG_S)
    kept: list[str] = []
    first, other = query(), query()
    keep_later(first, lambda: kept.append("first"))
    keep_now(other)
    assert kept == []
    keep_now(first)
    keep_now(first)
    assert kept == ["first"]
    assert not pending_layouts._pending


def test_stopping_waits_for_what_is_being_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_layouts, "_AFTER_S", 0.0)
    begun, may_end, stopped = threading.Event(), threading.Event(), threading.Event()
    kept: list[str] = []

    def keep() -> None:
        begun.set()
        may_end.wait(LONG_S)
        kept.append("kept")

    one = query()
    keep_later(one, keep)
    assert begun.wait(LONG_S)

    def stop() -> None:
        keep_now(one)
        stopped.set()

    threading.Thread(target=stop, daemon=True).start()
    assert not stopped.wait(0.05)
    may_end.set()
    assert stopped.wait(LONG_S)
    assert kept == ["kept"]
