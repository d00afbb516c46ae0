"""Processes that play tests, without any."""

import pytest

from jobs.kafka_messages import ProcessHandle
from tests.support.run_factories import HANDLE
from weir.job_tests.services import play_process
from weir.job_tests.services.spool import Spool


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs for which a process was started; it lives."""
    started: list[str] = []

    def start(spool: Spool, seconds: float) -> ProcessHandle:
        started.append(spool.run_id)
        return HANDLE

    monkeypatch.setattr(play_process, "start", start)
    monkeypatch.setattr(play_process, "lives", lambda handle: True)
    monkeypatch.setattr(play_process, "kill", lambda handle: None)
    return started
