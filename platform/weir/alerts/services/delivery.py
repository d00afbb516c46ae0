"""Delivers notifications: takes them from the outbox, sends their message, and notes what came of it."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import structlog

from jobs.encryption import DecryptionError
from weir.alerts.models import Channel, Notification
from weir.alerts.services import outbox
from weir.alerts.services.email import RecipientsRefusedError, send_email
from weir.alerts.services.messages import Message, message_of
from weir.alerts.services.sealing import unseal
from weir.alerts.services.webhooks import send_pagerduty, send_slack, send_teams, send_webhook
from weir.outgoing.send_errors import SendError
from weir.outgoing.worker_share import TURN_S
from weir.workspaces.errors import UNEXPECTED

_LOG: Final = structlog.get_logger("weir.alerts")

Send = Callable[[dict[str, Any], Message], None]
_SENDERS: Final[dict[str, Send]] = {
    Channel.Kind.EMAIL: send_email,
    Channel.Kind.SLACK: send_slack,
    Channel.Kind.TEAMS: send_teams,
    Channel.Kind.PAGERDUTY: send_pagerduty,
    Channel.Kind.WEBHOOK: send_webhook,
}
_ONE_BY_ONE: Final = frozenset({Channel.Kind.PAGERDUTY})  # each alert is an incident of its own there


def deliver(channel_id: str) -> int | None:
    """Deliver what is due to a channel.

    Alerts of one rule that changed together go into one message.

    Returns:
        After how many seconds to try again; None: everything was delivered, or given up, but for what
        single recipients of an e-mail refused.
    """
    channel = Channel.objects.select_related("workspace").filter(pk=channel_id).first()
    if channel is None:
        return None
    if not channel.enabled:
        outbox.give_up(channel)  # also what was on its way while it was turned off
    most = 1 if channel.kind in _ONE_BY_ONE else outbox.MAX_BATCH
    until = time.monotonic() + TURN_S
    while time.monotonic() < until:
        taken = outbox.take(channel, most)
        if not taken:
            return None
        wait_s = _send(channel, taken)
        if wait_s is not None:
            return wait_s
    return 1


def _send(channel: Channel, taken: Sequence[Notification]) -> int | None:
    try:
        _SENDERS[channel.kind](unseal(channel), message_of(taken))
    except DecryptionError:
        text = "The channel's configuration can't be decrypted. Enter its address again."
        return outbox.not_sent(taken, text, permanent=True)
    except RecipientsRefusedError as error:
        _LOG.warning("a notification did not reach all recipients", channel=channel.pk, error=str(error))
        outbox.note_refused(taken, error.refused)
        outbox.not_sent(taken, str(error), permanent=error.permanent)
        return None  # the server takes e-mails: the next can go out, and beat asks for those of this one
    except SendError as error:
        _LOG.warning("a notification did not arrive", channel=channel.pk, error=str(error))
        return outbox.not_sent(
            taken, str(error), permanent=error.permanent, retry_after_s=error.retry_after_s
        )
    except Exception:  # noqa: BLE001 - a defect must not be tried for ever, nor be told as being sent
        _LOG.exception("a notification could not be sent", channel=channel.pk)
        return outbox.not_sent(taken, UNEXPECTED, permanent=False)
    outbox.sent(taken)
    return None
