"""Celery tasks of OpenLineage events."""

from celery import shared_task

from weir.openlineage.services import outbox
from weir.openlineage.services.delivery import deliver


@shared_task
def deliver_due() -> None:
    """Ask for a delivery to each receiver that has something due."""
    for receiver_id in outbox.due_receivers():
        deliver_to.delay(receiver_id)


@shared_task
def deliver_to(receiver_id: int) -> None:
    """Deliver what waits for one receiver. The outbox knows when to try again, and beat asks."""
    deliver(receiver_id)


@shared_task
def purge_events() -> None:
    """Delete events that were sent or given up long ago."""
    outbox.purge()
