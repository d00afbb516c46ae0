"""Delivers events to a receiver, in order, through the guarded door that notifications take."""

from datetime import timedelta
from typing import Final

import structlog
from django.utils import timezone

from jobs.encryption import DecryptionError
from weir.alerts.services.http_door import post
from weir.alerts.services.retries import GIVE_UP_AFTER, wait_seconds
from weir.alerts.services.send_errors import SendError
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services import outbox
from weir.openlineage.services.events import event_json
from weir.openlineage.services.sealing import unseal

_LOG: Final = structlog.get_logger("weir.openlineage")
MAX_ROUNDS: Final = 100  # events in one task; the next task goes on
_REFUSALS: Final = frozenset({400, 413, 422})  # of this event: the same one will never be taken


def deliver(receiver_id: int) -> None:
    """Deliver what waits for a receiver, the oldest first.

    An event that does not arrive holds back those after it, until it arrives or has waited for a day; one
    that the receiver refuses for its content is given up at once. An event may arrive twice, when a worker
    dies between sending and noting it.
    """
    receiver = LineageReceiver.objects.filter(pk=receiver_id).first()
    if receiver is None or receiver.leased_until > timezone.now():
        return
    for _ in range(MAX_ROUNDS):
        if not outbox.lease(receiver):
            return
        event = outbox.next_event(receiver)
        if event is None or not _deliver(receiver, event):
            break
    LineageReceiver.objects.filter(pk=receiver.pk, leased_until=receiver.leased_until).update(
        leased_until=timezone.now()
    )


def _deliver(receiver: LineageReceiver, event: LineageEvent) -> bool:
    """Send one event; False: wait before the next."""
    try:
        _send(receiver, event)
    except SendError as error:
        _LOG.warning("an OpenLineage event did not arrive", receiver=receiver.pk, error=str(error))
        return _not_sent(receiver, event, str(error), refused=error.permanent)
    now = timezone.now()
    LineageEvent.objects.filter(pk=event.pk).update(state=LineageEvent.State.SENT, sent_at=now, error="")
    LineageReceiver.objects.filter(pk=receiver.pk).update(attempts=0, delivered_at=now, error="")
    receiver.attempts = 0
    return True


def _send(receiver: LineageReceiver, event: LineageEvent) -> None:
    """Raises: SendError, permanent where the receiver refuses this event."""
    headers = {"Content-Type": "application/json"}
    try:
        key = unseal(receiver)
    except DecryptionError as error:
        raise SendError("The API key can't be decrypted. Enter it again.", permanent=False) from error
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        answer = post(receiver.url, event_json(receiver, event).encode(), headers)
    except SendError as error:  # a wrong address can be corrected, and the event is still good
        raise SendError(str(error), permanent=False) from error
    if answer.status in (401, 403):
        raise SendError(f"The receiver answered {answer.status}: check the API key.", permanent=False)
    if answer.refusal:
        raise SendError(answer.refusal, permanent=answer.status in _REFUSALS)


def _not_sent(receiver: LineageReceiver, event: LineageEvent, error: str, *, refused: bool) -> bool:
    now = timezone.now()
    over = refused or event.at < now - GIVE_UP_AFTER
    LineageEvent.objects.filter(pk=event.pk).update(
        state=LineageEvent.State.FAILED if over else LineageEvent.State.WAITING, error=error[:300]
    )
    receiver.attempts += 1
    wait_s = 0 if refused else wait_seconds(receiver.attempts)
    LineageReceiver.objects.filter(pk=receiver.pk).update(
        attempts=receiver.attempts,
        delivered_at=now,
        error=error[:300],
        due_at=now + timedelta(seconds=wait_s),
    )
    return refused
