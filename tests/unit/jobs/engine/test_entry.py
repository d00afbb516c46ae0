"""An engine's modules are loaded while its JVM opens the session."""

import threading
from collections.abc import Callable

import pytest

from jobs.engine import entry, main


def test_the_engine_begins_before_its_session_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    engine_runs, opened = threading.Event(), []

    def open_session() -> str:
        assert engine_runs.wait(60)
        return "the session"

    def run(session: Callable[[], str]) -> None:
        engine_runs.set()
        opened.append(session())

    monkeypatch.setattr(entry, "open_session", open_session)
    monkeypatch.setattr(main, "main", run)
    entry.main()
    assert opened == ["the session"]
