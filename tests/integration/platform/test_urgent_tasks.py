"""In which order workers get what waits in the queue."""

import pytest
from celery import current_app
from kombu import Connection, pools
from kombu.simple import SimpleQueue

from tests.support.valkey_node import ValkeyServer
from weir.runs.task_queue import (
    DELETE_SUPERSEDED,
    FINISH_DELETION,
    PUBLISH_RUN,
    RECONCILE_ENGINE,
    START_RUN,
    enqueue,
)

HOST = "engines.a"
WAITING = 20


def test_what_people_wait_for_goes_before_what_waits_already(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred jobs are deleted, and one is started."""
    with Connection(valkey.url) as connection:
        queues = [connection.SimpleQueue(name) for name in (current_app.conf.task_default_queue, HOST)]
        for queue in queues:
            queue.clear()
        with monkeypatch.context() as patch:
            patch.setattr(current_app.amqp, "_producer_pool", pools.Producers(limit=1)[connection])
            for number in range(WAITING):
                enqueue(FINISH_DELETION, f"job-{number}")
            enqueue(DELETE_SUPERSEDED, queue=HOST)
            enqueue(RECONCILE_ENGINE, "shared-1", queue=HOST)
            enqueue(START_RUN, "run-1")
            enqueue(PUBLISH_RUN, "run-2")
        shared, of_host = queues
        assert taken(shared, WAITING + 2) == [START_RUN, PUBLISH_RUN, *[FINISH_DELETION] * WAITING]
        assert taken(of_host, 2) == [RECONCILE_ENGINE, DELETE_SUPERSEDED]


def taken(queue: SimpleQueue, count: int) -> list[str]:
    found = []
    for _ in range(count):
        message = queue.get(timeout=5)
        message.ack()
        found.append(message.headers["task"])
    return found
