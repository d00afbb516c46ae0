"""Celery tasks of alerts."""

from typing import Any

from celery import shared_task

from weir.alerts.services import purge
from weir.alerts.services.delivery import deliver
from weir.alerts.services.outbox import due_channels


@shared_task
def deliver_due() -> None:
    """Ask for a delivery to each channel that has something due."""
    for channel_id in due_channels():
        deliver_to.delay(channel_id)


@shared_task(bind=True, max_retries=None)
def deliver_to(self: Any, channel_id: str) -> None:
    """Deliver what is due to one channel, and try again later what did not arrive.

    The outbox knows when each is due, so a retry that gets lost is asked for again by beat.
    """
    wait_s = deliver(channel_id)
    if wait_s is not None:
        raise self.retry(countdown=wait_s)


@shared_task
def purge_alerts() -> None:
    """Delete old alerts, notifications, silences and slices of objectives."""
    purge.purge()
