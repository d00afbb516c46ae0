"""Sending commands while the queue is not there."""

import pytest
from celery import current_app
from kombu import pools
from kombu.utils import functional

from tests.support.processes import free_ports
from weir.runs.task_queue import START_RUN, enqueue


def test_a_queue_that_is_not_there_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that starts one job would wait six seconds for it otherwise, one that stops ten a minute."""
    waits: list[float] = []
    monkeypatch.setattr(functional, "sleep", waits.append)
    (port,) = free_ports(1)
    connection = current_app.connection_for_write(f"redis://127.0.0.1:{port}/0")
    monkeypatch.setattr(current_app.amqp, "_producer_pool", pools.Producers(limit=1)[connection])

    enqueue(START_RUN, "run-1")

    assert waits == []
