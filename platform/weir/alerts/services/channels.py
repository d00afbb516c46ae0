"""Create, change, test and delete channels: the only writer of `Channel`."""

import re
import secrets
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from weir.alerts.models import Channel, Notification
from weir.alerts.services.email import is_configured
from weir.alerts.services.outbox import give_up
from weir.alerts.services.rules import cleaned, taken
from weir.alerts.services.sealing import seal
from weir.outgoing.http_door import AddressError, checked_url, resolved
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.revisions import require_revision
from weir.workspaces.services.uniqueness import unique_or

MAX_RECIPIENTS: Final = 20
_ROUTING_KEY: Final = re.compile(r"[A-Za-z0-9]{32}")
_BY_URL: Final = (Channel.Kind.SLACK, Channel.Kind.TEAMS, Channel.Kind.WEBHOOK)


def create_channel(
    workspace: Workspace, actor: User, name: str, kind: str, address: str, least_severity: str
) -> tuple[Channel, str]:
    """A new channel.

    Args:
        workspace: of the channel.
        actor: the user.
        name: not empty; unique in the workspace.
        kind: of `Channel.Kind`.
        address: recipients with commas between them, a URL, or PagerDuty's integration key.
        least_severity: it is told of alerts from this one on.

    Returns:
        The channel, and the secret that a generic webhook is signed with: it is returned here and never
        again; empty for other kinds.

    Raises:
        ServiceError: ADDRESS_INVALID, ADDRESS_FORBIDDEN, EMAIL_NOT_CONFIGURED, NAME_INVALID, QUOTA_REACHED.
        ConflictError: NAME_TAKEN.
    """
    require_room("alert_channels", Channel.objects.filter(workspace=workspace).count())
    configuration, target = _configuration(kind, address)
    made = Channel(
        workspace=workspace, name=cleaned(name), kind=kind, target=target, least_severity=least_severity
    )
    made.sealed = seal(made.pk, configuration)
    with unique_or(taken("Channel", name)):
        made.save(force_insert=True)
        _record(made, actor, Action.CREATED)
    return made, configuration.get("secret", "")


def change_channel(
    channel: Channel, actor: User, name: str, least_severity: str, *, enabled: bool, revision: int | None
) -> Channel:
    """Change what is no secret; for another address a new channel is made.

    Args:
        channel: of the actor's workspace.
        actor: the user.
        name: not empty; unique in the workspace.
        least_severity: it is told of alerts from this one on.
        enabled: False: it is told nothing, nor what waits for it.
        revision: that the change was made on; None: whatever is stored.

    Raises:
        ServiceError: NAME_INVALID.
        ConflictError: NAME_TAKEN; REVISION_OUTDATED, somebody else changed it meanwhile.
        Channel.DoesNotExist: it was deleted meanwhile.
    """
    name = cleaned(name)
    with unique_or(taken("Channel", name)):
        held: Channel = (
            Channel.objects.select_related("workspace").select_for_update(of=("self",)).get(pk=channel.pk)
        )
        require_revision(held.revision, revision, "channel")
        held.name, held.least_severity, held.enabled = name, least_severity, enabled
        held.revision += 1
        held.save(update_fields=["name", "least_severity", "enabled", "revision"])
        if not enabled:
            give_up(held)
        _record(held, actor, Action.CHANGED)
    return held


def delete_channel(channel: Channel, actor: User) -> None:
    """Delete a channel with its delivery log; nothing that waits is sent any more."""
    with transaction.atomic():
        _record(channel, actor, Action.DELETED)
        channel.delete()


def send_test(channel: Channel, actor: User) -> Notification:
    """Put a test message into the outbox; the delivery log says what came of it."""
    with transaction.atomic():
        made: Notification = Notification.objects.create(
            workspace=channel.workspace, channel=channel, change=Notification.Change.TEST
        )
        _record(channel, actor, Action.TESTED)
    return made


def _configuration(kind: str, address: str) -> tuple[dict[str, Any], str]:
    """What is sealed, and what people see of it."""
    if kind == Channel.Kind.EMAIL:
        recipients = _recipients(address)
        return {"recipients": recipients}, ", ".join(recipients)[:300]
    if kind == Channel.Kind.PAGERDUTY:
        if not _ROUTING_KEY.fullmatch(address.strip()):
            raise _invalid(
                "Enter the integration key of an Events API v2 integration: 32 letters and digits."
            )
        return {"routing_key": address.strip()}, f"integration key …{address.strip()[-4:]}"
    url = address.strip()
    try:
        resolved(checked_url(url))
    except AddressError as error:
        raise ServiceError("ADDRESS_FORBIDDEN", str(error)) from error
    # The path of a webhook is its secret; only the host is shown.
    target = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}/…"
    if kind == Channel.Kind.WEBHOOK:
        return {"url": url, "secret": secrets.token_urlsafe(32)}, target[:300]
    return {"url": url}, target[:300]


def _recipients(address: str) -> Sequence[str]:
    if not is_configured():
        raise ServiceError(
            "EMAIL_NOT_CONFIGURED", "This installation has no SMTP server. Ask the operator to set EMAIL_URL."
        )
    recipients = list(dict.fromkeys(one.strip() for one in address.split(",") if one.strip()))
    if not 1 <= len(recipients) <= MAX_RECIPIENTS:
        raise _invalid(f"Enter 1 to {MAX_RECIPIENTS} e-mail addresses with commas between them.")
    for one in recipients:
        try:
            validate_email(one)
        except ValidationError as error:
            raise _invalid(f"{one[:100]!r} is not an e-mail address.") from error
    return recipients


def _invalid(text: str) -> ServiceError:
    return ServiceError("ADDRESS_INVALID", text)


def _record(channel: Channel, actor: User, action: Action) -> None:
    record_event(
        channel.workspace,
        Event.Kind.ALERT,
        f"Channel {channel.name} ({channel.get_kind_display()}, {channel.target[:200]}) {action}",
        action=action,
        actor=actor.username,
        subject=channel.pk,
    )
