"""Read-only links to dashboards: create, revoke, open. The only writer of `ShareLink` and `ShareTicket`."""

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from weir.dashboards.models import Dashboard, ShareLink, ShareTicket
from weir.retention import SHARE_LINK_MAX_DAYS, TICKET_TTL
from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.models import Action, Event, User
from weir.workspaces.services.events import record_event

MAX_LINKS: Final = 50  # of a dashboard, that have not ended
TICKET_PREFIX: Final = "share-"  # tells a link's ticket from a person's


def links_of(dashboard: Dashboard) -> QuerySet[ShareLink]:
    """The links of a dashboard, newest first; those that ended are listed until they are purged."""
    return ShareLink.objects.filter(dashboard=dashboard).select_related("created_by")


def create_link(dashboard: Dashboard, actor: User, note: str, days: int) -> tuple[ShareLink, str]:
    """A link; the token is returned here and never again.

    Args:
        dashboard: what it shows, as it is whenever the link is opened.
        actor: the user.
        note: whom it is for; may be empty.
        days: until it expires, 1 to 90.

    Raises:
        ServiceError: more than 90 days, or 50 links that have not ended.
    """
    if not 1 <= days <= SHARE_LINK_MAX_DAYS:
        raise ServiceError("LINK_DAYS", f"A link works for 1 to {SHARE_LINK_MAX_DAYS} days.")
    token = secrets.token_urlsafe(32)
    now = timezone.now()
    with transaction.atomic():
        Dashboard.objects.select_for_update().get(pk=dashboard.pk)
        if _live(now).filter(dashboard=dashboard).count() >= MAX_LINKS:
            raise ServiceError("LINK_LIMIT", f"A dashboard has {MAX_LINKS} links at most. Revoke one.")
        link = ShareLink.objects.create(
            dashboard=dashboard,
            digest=_digest(token),
            note=note.strip(),
            created_by=actor,
            expires_at=now + timedelta(days=days),
        )
        _record(
            link, actor, Action.SHARED, f"Link to dashboard {dashboard.name} created, expires in {days} d"
        )
    return link, token


def revoke_link(dashboard: Dashboard, link_id: str, actor: User) -> None:
    """End a link; pages that show it lose their live updates within 5 s. One that ended stays as it is.

    Raises:
        NotFoundError: the dashboard has no such link.
    """
    link = links_of(dashboard).filter(pk=link_id).first()
    if link is None:
        raise NotFoundError("NOT_FOUND", "Link not found, or you don't have access.")
    with transaction.atomic():
        if ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
            _record(link, actor, Action.REVOKED, f"Link to dashboard {dashboard.name} revoked")


def open_link(token: str) -> ShareLink:
    """The link of a token, with its dashboard and workspace; notes that it was used.

    Raises:
        NotFoundError: unknown, expired or revoked; one answer for all of them.
    """
    now = timezone.now()
    link = _live(now).select_related("dashboard__workspace").filter(digest=_digest(token)).first()
    if link is None:
        raise NotFoundError("LINK_ENDED", "This link has expired or was revoked. Ask for a new one.")
    ShareLink.objects.filter(pk=link.pk).update(last_used_at=now)
    return link


def create_share_ticket(link: ShareLink) -> str:
    """A ticket for one WebSocket, valid for 30 s and no longer than its link."""
    ticket = TICKET_PREFIX + secrets.token_urlsafe(32)
    ShareTicket.objects.create(digest=_digest(ticket), link=link, expires_at=timezone.now() + TICKET_TTL)
    return ticket


def redeem_share_ticket(ticket: str) -> str | None:
    """The id of the link that a ticket was made with; None when ticket or link is unknown, used or over.
    It works once.
    """
    now = timezone.now()
    found = ShareTicket.objects.filter(digest=_digest(ticket), expires_at__gt=now).first()
    if found is None:
        return None
    # Two requests may present the same text: only the one that deletes the row succeeds.
    deleted, _ = ShareTicket.objects.filter(digest=found.digest).delete()
    return found.link_id if deleted and _live(now).filter(pk=found.link_id).exists() else None


def _live(now: object) -> QuerySet[ShareLink]:
    return ShareLink.objects.filter(revoked_at=None, expires_at__gt=now)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _record(link: ShareLink, actor: User, action: Action, text: str) -> None:
    record_event(
        link.dashboard.workspace,
        Event.Kind.DASHBOARD,
        text,
        action=action,
        actor=actor.username,
        subject=link.dashboard_id,
    )
