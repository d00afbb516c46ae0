"""Delivers events to a receiver, in order, through the guarded door that notifications take."""

import time
from typing import Final

import structlog
from django.utils import timezone

from jobs.encryption import DecryptionError
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services import outbox
from weir.openlineage.services.events import event_json
from weir.openlineage.services.sealing import unseal
from weir.outgoing.http_door import post
from weir.outgoing.send_errors import SendError
from weir.outgoing.worker_share import TURN_S

_LOG: Final = structlog.get_logger("weir.openlineage")
_REFUSALS: Final = frozenset({400, 413, 422})  # of this event: the same one will never be taken


def deliver(receiver_id: int) -> None:
    """Deliver what waits for a receiver, the oldest first.

    An event that does not arrive holds back those after it, until it arrives or has waited for a day; one
    that the receiver refuses for its content is given up at once. One that can't be built holds back only its
    execution's, and is given up after some attempts. An event may arrive twice, when a worker dies between
    sending and noting it.
    """
    receiver = LineageReceiver.objects.filter(pk=receiver_id).first()
    if receiver is None or receiver.leased_until > timezone.now():
        return
    until = time.monotonic() + TURN_S
    while time.monotonic() < until:
        if not outbox.lease(receiver):
            return
        receiver = LineageReceiver.objects.filter(pk=receiver_id).first()  # its address may be another by now
        if receiver is None:
            return
        event = outbox.next_event(receiver)
        if event is None or not _deliver(receiver, event):
            break
    LineageReceiver.objects.filter(pk=receiver.pk, leased_until=receiver.leased_until).update(
        leased_until=timezone.now()
    )


def _deliver(receiver: LineageReceiver, event: LineageEvent) -> bool:
    """Build and send one event; False: wait before the next."""
    try:
        body = event_json(receiver, event).encode()
    except Exception as error:  # noqa: BLE001 - a defect must not hold up other events; the traceback is in the log
        _not_built(event, error)
        return True
    try:
        _send(receiver, body)
    except SendError as error:
        _LOG.warning("an OpenLineage event did not arrive", receiver=receiver.pk, error=str(error))
        outbox.not_sent(event, str(error), refused=error.permanent, retry_after_s=error.retry_after_s)
        return error.permanent
    except Exception as error:  # noqa: BLE001 - a defect: as when nobody answers, until the event is too old
        _LOG.exception("an OpenLineage event could not be sent", receiver=receiver.pk)
        text = f"Weir couldn't send this event ({type(error).__name__}). The cause is in the worker's log."
        outbox.not_sent(event, text, refused=False)
        return False
    outbox.sent(event)
    return True


def _not_built(event: LineageEvent, error: Exception) -> None:
    text = f"Weir couldn't build this event ({type(error).__name__}). The cause is in the worker's log."
    _LOG.exception(
        "an OpenLineage event could not be built",
        job=event.job_id,
        run=event.run_id,
        epoch=event.epoch,
        type=event.type,
        given_up=outbox.not_built(event, text),
    )


def _send(receiver: LineageReceiver, body: bytes) -> None:
    """Raises: SendError, permanent where the receiver refuses this event."""
    headers = {"Content-Type": "application/json"}
    try:
        key = unseal(receiver)
    except DecryptionError as error:
        raise SendError("The API key can't be decrypted. Enter it again.", permanent=False) from error
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        answer = post(receiver.url, body, headers)
    except SendError as error:  # a wrong address can be corrected, and the event is still good
        raise SendError(str(error), permanent=False) from error
    if answer.status in (401, 403):
        raise SendError(f"The receiver answered {answer.status}: check the API key.", permanent=False)
    if answer.refusal:
        raise SendError(
            answer.refusal,
            permanent=answer.status in _REFUSALS,
            retry_after_s=answer.retry_after_s,
        )
