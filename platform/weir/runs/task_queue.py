"""Sends commands to Celery workers. When the queue does not answer, the reconciler
repeats the command later.
"""

import time
from typing import Any, Final

import structlog
from celery import current_app
from kombu.exceptions import OperationalError

_LOG: Final = structlog.get_logger("weir.queue")

START_RUN: Final = "weir.runs.tasks.start_run"
PUBLISH_RUN: Final = "weir.runs.tasks.publish_desired"
RECONCILE_ENGINE: Final = "weir.runs.tasks.reconcile_engine"
PUBLISH_RUN_TOMBSTONE: Final = "weir.runs.tasks.publish_run_tombstone"
RECONNECT: Final = "weir.runs.tasks.reconnect"
NOTE_HOST: Final = "weir.runs.tasks.note_host"
FINISH_DELETION: Final = "weir.runs.tasks.finish_deletion"
DELETE_SUPERSEDED: Final = "weir.runs.tasks.delete_superseded"

# What people wait for, or a run: these go before all that waits, such as the deletions of a hundred jobs.
_URGENT: Final = frozenset({START_RUN, PUBLISH_RUN, PUBLISH_RUN_TOMBSTONE, RECONCILE_ENGINE})
FIRST: Final = 0
LATER: Final = 6
QUIET_S: Final = 5.0
"""How long nothing is sent after an attempt that waited in vain, as where the queue's host is gone: the relay
sends several commands a second, and must go on reading reports.
"""
_IN_VAIN_S: Final = 1.0  # a queue that is only down refuses at once


class _Silence:
    """Until when nothing is sent, in monotonic seconds."""

    until = 0.0


def enqueue(task: str, *arguments: Any, queue: str | None = None, after_s: float = 0.0) -> None:
    """Send a command to a worker.

    Args:
        task: the task's full name.
        arguments: JSON values.
        queue: a host's own queue; None: any worker.
        after_s: no worker begins it before so many seconds; less than 60, after which it is dropped.
    """
    began = time.monotonic()
    if began < _Silence.until:
        return
    try:
        current_app.send_task(
            task,
            args=arguments,
            queue=queue,
            priority=FIRST if task in _URGENT else LATER,
            countdown=after_s or None,
            expires=60,
            retry=False,
        )
    except OperationalError as error:
        _LOG.warning("the queue does not answer; the reconciler will do it", task=task, error=str(error))
        if time.monotonic() - began > _IN_VAIN_S:
            _Silence.until = time.monotonic() + QUIET_S
