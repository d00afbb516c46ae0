"""Celery tasks: short, idempotent commands. What fails here for want of a broker is done by a later tick."""

from typing import Final

import structlog
from celery import shared_task
from django.utils import timezone

from weir.guards.models import Guard
from weir.guards.queueing import READ_LETTERS, SEND_AGAIN
from weir.guards.services import counting, reading, sending, switching
from weir.runs.task_queue import enqueue
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.guards")


@shared_task
def tend_guards() -> None:
    """One tick."""
    switching.tend_guards()


@shared_task
def read_letters(guard_id: int) -> None:
    """Read a guard's new letters; a piece at a time, so that others have their turn."""
    guard = Guard.objects.select_related("stream__cluster").filter(pk=guard_id).first()
    if guard is None:
        return
    try:
        if reading.read_letters(guard):
            enqueue(READ_LETTERS, guard_id)
    except ServiceError as error:
        _LOG.info("the dead letters are not read yet", stream=guard.stream.name, error=error.detail)


@shared_task
def read_all() -> None:
    """Look at every dead-letter topic: what Kafka has forgotten is forgotten here too."""
    for guard_id in Guard.objects.values_list("pk", flat=True):
        enqueue(READ_LETTERS, guard_id)


@shared_task
def compact_counts() -> None:
    """Make few rows of what was counted long ago."""
    counting.compact_counts(timezone.now())


@shared_task
def send_again(redrive_id: str) -> None:
    """Send letters again for some seconds; then whoever else waits has a turn."""
    if sending.send_slice(redrive_id):
        enqueue(SEND_AGAIN, redrive_id)
