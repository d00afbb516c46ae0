"""Deletes what of people and workspaces has ended (`weir.retention`)."""

from django.contrib.sessions.models import Session
from django.utils import timezone

from weir.retention import ENDED_TOKEN_RETENTION, EVENT_RETENTION
from weir.workspaces.models import ApiToken, Event, OneTimeToken


def purge() -> None:
    """Delete expired sessions, sign-in links, tickets and API tokens, and old lines of the audit trail.

    An API token stays for a while after its end, so that its person can see why a program is refused.
    """
    now = timezone.now()
    OneTimeToken.objects.filter(expires_at__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    ApiToken.objects.filter(expiry__lt=now - ENDED_TOKEN_RETENTION).delete()
    Event.objects.filter(at__lt=now - EVENT_RETENTION).delete()
