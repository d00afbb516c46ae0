"""Celery tasks of OpenLineage events."""

from typing import Final

from celery import shared_task

from weir.openlineage.models import LineageReceiver
from weir.openlineage.services import outbox
from weir.outgoing.worker_share import WORKER_SHARE

_ASKED_AGAIN_S: Final = 10.0  # the interval of `deliver_due`


@shared_task
def deliver_due() -> None:
    """Ask for a delivery to each receiver that has something due."""
    for receiver_id in outbox.due_receivers():
        deliver_to.apply_async((receiver_id,), expires=_ASKED_AGAIN_S)


@shared_task
def deliver_to(receiver_id: int) -> None:
    """Deliver what waits for one receiver. The outbox knows when to try again, and beat asks."""
    # What builds events takes a fifth of a worker's start, and few workspaces have a receiver.
    from weir.openlineage.services.delivery import deliver  # noqa: PLC0415

    owner = LineageReceiver.objects.filter(pk=receiver_id).values_list("workspace_id", flat=True).first()
    with WORKER_SHARE.of(owner) as is_free:
        if is_free:
            deliver(receiver_id)


@shared_task
def purge_events() -> None:
    """Delete events that were sent or given up long ago."""
    outbox.purge()
