"""What has ended is deleted, and nothing else."""

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from weir.retention import ENDED_TOKEN_RETENTION, EVENT_RETENTION
from weir.workspaces.models import Action, ApiToken, Event, OneTimeToken, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.one_time_tokens import create_sign_in_link, create_ticket
from weir.workspaces.services.purge import purge
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db(databases=["default", "results"])
SECOND = timedelta(seconds=1)


def ended(name: str, user: User, after: timedelta | None) -> None:
    """A token that expired so long ago; None: it never does."""
    row, _ = create_token(user, name, None)
    ApiToken.objects.filter(pk=row.pk).update(expiry=None if after is None else timezone.now() - after)


def test_sessions_links_and_tickets_go_when_they_expire(owner: User) -> None:
    create_ticket(owner)
    kept = create_sign_in_link(owner)
    OneTimeToken.objects.filter(purpose=OneTimeToken.Purpose.TICKET).update(
        expires_at=timezone.now() - SECOND
    )
    for ttl in (-60, 60):
        session = SessionStore()
        session.set_expiry(ttl)
        session.save()
    purge()
    assert OneTimeToken.objects.get().purpose == OneTimeToken.Purpose.SIGN_IN
    assert kept
    assert Session.objects.get().expire_date > timezone.now()


def test_an_expired_token_is_shown_for_a_while(owner: User) -> None:
    ended("old", owner, ENDED_TOKEN_RETENTION + SECOND)
    ended("recent", owner, SECOND)
    ended("endless", owner, None)
    purge()
    assert set(ApiToken.objects.values_list("name", flat=True)) == {"recent", "endless"}


def test_the_audit_trail_is_kept_for_a_year_and_more(workspace: Workspace) -> None:
    Event.objects.all().delete()
    for text, age in (("new", timedelta()), ("last year", timedelta(days=366)), ("old", EVENT_RETENTION)):
        record_event(workspace, "job", text, action=Action.CREATED)
        Event.objects.filter(text=text).update(at=timezone.now() - age)
    purge()
    assert set(Event.objects.values_list("text", flat=True)) == {"new", "last year"}
