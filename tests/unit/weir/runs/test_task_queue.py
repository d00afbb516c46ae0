"""Sending commands while the queue is not there."""

from types import SimpleNamespace

import pytest
from celery import current_app
from kombu import pools
from kombu.exceptions import OperationalError
from kombu.utils import functional

from tests.support.processes import free_ports
from weir.runs import task_queue
from weir.runs.task_queue import QUIET_S, START_RUN, enqueue


def test_a_queue_that_is_not_there_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that starts one job would wait six seconds for it otherwise, one that stops ten a minute."""
    waits: list[float] = []
    monkeypatch.setattr(functional, "sleep", waits.append)
    (port,) = free_ports(1)
    connection = current_app.connection_for_write(f"redis://127.0.0.1:{port}/0")
    monkeypatch.setattr(current_app.amqp, "_producer_pool", pools.Producers(limit=1)[connection])

    enqueue(START_RUN, "run-1")

    assert waits == []


@pytest.mark.parametrize(("takes_s", "sent"), [(2.0, 2), (0.0, 6)], ids=["its host is gone", "it is down"])
def test_a_queue_that_lets_everybody_wait_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch, takes_s: float, sent: int
) -> None:
    """The relay sends several commands a second. Where each waited, it would read no reports."""
    now, tried = [100.0], []

    def fail(task: str, **_: object) -> None:
        tried.append(now[0])
        now[0] += takes_s
        raise OperationalError("no answer")

    monkeypatch.setattr(task_queue, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(task_queue._Silence, "until", 0.0)
    monkeypatch.setattr(current_app, "send_task", fail)
    for _ in range(5):
        enqueue(START_RUN, "run-1")
    now[0] += QUIET_S
    enqueue(START_RUN, "run-1")
    assert len(tried) == sent
