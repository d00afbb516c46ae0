"""Sends commands to Celery workers. When the queue does not answer, the reconciler
repeats the command later.
"""

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


def enqueue(task: str, *arguments: Any, queue: str | None = None, after_s: float = 0.0) -> None:
    """Send a command to a worker.

    Args:
        task: the task's full name.
        arguments: JSON values.
        queue: a host's own queue; None: any worker.
        after_s: no worker begins it before so many seconds; less than 60, after which it is dropped.
    """
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
