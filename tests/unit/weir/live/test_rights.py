"""Rights of all connections of a process: who stands, in which role, with as many queries
for a hundred as for one.
"""

from datetime import timedelta

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.users import create_user, member
from weir.live.rights import Standing, read_rights
from weir.workspaces.models import ApiToken, Membership, User, Workspace
from weir.workspaces.roles import Right, Role
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db


def by_session(user: User) -> Standing:
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session.create()
    return Standing(user.pk, session_key=session.session_key)


def by_token(user: User) -> Standing:
    return Standing(user.pk, token=create_token(user, "ci", timedelta(days=1))[0].digest)


def stands(one: Standing) -> bool:
    return one in read_rights({one}).standing


@pytest.mark.parametrize("make", [by_session, by_token])
def test_a_person_stands_until_made_inactive(owner: User, make: type) -> None:
    one = make(owner)
    assert stands(one)
    User.objects.update(is_active=False)
    assert not stands(one)


@pytest.mark.parametrize("loss", ["signed out", "expired", "password", "another's"])
def test_a_session_ends(owner: User, loss: str) -> None:
    one = by_session(owner)
    if loss == "signed out":
        Session.objects.all().delete()
    elif loss == "expired":
        Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    elif loss == "password":
        owner.set_password("another long passphrase")
        owner.save()
    else:
        one = Standing(create_user("eve").pk, session_key=one.session_key)
    assert not stands(one)


@pytest.mark.parametrize("loss", ["revoked", "expired", "another's"])
def test_a_token_ends(owner: User, loss: str) -> None:
    one = by_token(owner)
    if loss == "revoked":
        ApiToken.objects.all().delete()
    elif loss == "expired":
        ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    else:
        one = Standing(create_user("eve").pk, token=one.token)
    assert not stands(one)


def test_roles_are_those_of_now(owner: User, workspace: Workspace) -> None:
    viewer = member(workspace, "vic", Role.EDITOR)
    one = by_session(viewer)
    assert read_rights({one}).may(viewer.pk, workspace.pk, Right.EDIT)
    Membership.objects.filter(user=viewer).update(role=Role.VIEWER)
    rights = read_rights({one})
    assert rights.may(viewer.pk, workspace.pk, Right.READ)
    assert not rights.may(viewer.pk, workspace.pk, Right.EDIT)
    Membership.objects.filter(user=viewer).delete()
    assert not read_rights({one}).may(viewer.pk, workspace.pk, Right.READ)


def test_many_connections_cost_no_more_queries_than_one(workspace: Workspace) -> None:
    standings = set()
    counts = []
    for number in (1, 40):
        for at in range(number):
            user = member(workspace, f"p{number}-{at}", Role.VIEWER)
            standings |= {by_session(user), by_token(user)}
        with CaptureQueriesContext(connection) as made:
            assert read_rights(standings).standing == standings
        counts.append(len(made))
    assert counts == [4, 4]
