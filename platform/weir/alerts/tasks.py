"""Celery tasks of alerts."""

from typing import Any, Final

from celery import shared_task

from weir.alerts.models import Channel
from weir.alerts.services import purge
from weir.alerts.services.delivery import deliver
from weir.alerts.services.outbox import due_channels
from weir.outgoing.worker_share import WORKER_SHARE

_ASKED_AGAIN_S: Final = 10.0  # the interval of `deliver_due`
_BUSY_WAIT_S: Final = 1


@shared_task
def deliver_due() -> None:
    """Ask for a delivery to each channel that has something due. Beat asks again before a worker that is busy
    has too many of these.
    """
    for channel_id in due_channels():
        deliver_to.apply_async((channel_id,), expires=_ASKED_AGAIN_S)


@shared_task(bind=True, max_retries=None)
def deliver_to(self: Any, channel_id: str) -> None:
    """Deliver what is due to one channel, and try again later what did not arrive.

    The outbox knows when each is due, so a retry that gets lost is asked for again by beat.
    """
    owner = Channel.objects.filter(pk=channel_id).values_list("workspace_id", flat=True).first()
    with WORKER_SHARE.of(owner) as is_free:
        wait_s = deliver(channel_id) if is_free else _BUSY_WAIT_S
    if wait_s is not None:
        raise self.retry(countdown=wait_s)


@shared_task
def purge_alerts() -> None:
    """Delete old alerts, notifications, silences and slices of objectives."""
    purge.purge()
