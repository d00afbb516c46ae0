"""A request that waits for its turn is answered by the rights that its person has when the turn comes."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connections
from rest_framework.test import APIClient

from tests.support.users import HOST, member, session_of, workspace_of
from weir.workspaces.api.base_view import REQUESTS
from weir.workspaces.models import ApiToken, Membership, User
from weir.workspaces.roles import Role
from weir.workspaces.services import turns as turns_module
from weir.workspaces.services.tokens import create_token

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
STREAMS = "/api/v1/workspaces/ops/streams"
PER_PERSON = 4


@pytest.fixture
def ed(transactional_db: None, owner: User) -> User:
    return member(workspace_of(owner, "ops"), "ed", Role.EDITOR)


def with_session(user: User) -> APIClient:
    client = APIClient(SERVER_NAME=HOST)
    client.cookies[settings.SESSION_COOKIE_NAME] = session_of(user)
    return client


def with_token(user: User) -> APIClient:
    client = APIClient(SERVER_NAME=HOST)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {create_token(user, 'ci', None)[1]}")
    return client


def leave(user: User) -> None:
    Membership.objects.filter(user=user).delete()


def become_viewer(user: User) -> None:
    Membership.objects.filter(user=user).update(role=Role.VIEWER)


def be_deactivated(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User) -> None:
    user.set_password("another long passphrase")
    user.save()


def nothing(_: User) -> None:
    pass


def sign_out(_: User) -> None:
    Session.objects.all().delete()


def revoke(user: User) -> None:
    ApiToken.objects.filter(user=user).delete()


@pytest.mark.parametrize(
    ("client_of", "change", "status"),
    [
        (with_session, nothing, 400),
        (with_session, leave, 404),
        (with_session, become_viewer, 403),
        (with_session, be_deactivated, 401),
        (with_session, change_password, 401),
        (with_session, sign_out, 401),
        (with_token, nothing, 400),
        (with_token, leave, 404),
        (with_token, be_deactivated, 401),
        (with_token, revoke, 401),
        (with_token, sign_out, 400),
    ],
)
def test_what_changed_while_a_request_waited_counts(
    ed: User,
    monkeypatch: pytest.MonkeyPatch,
    client_of: Callable[[User], APIClient],
    change: Callable[[User], None],
    status: int,
) -> None:
    """The body is empty, so a request that goes on is answered by 400."""
    client, waits = client_of(ed), threading.Event()
    monkeypatch.setattr(turns_module, "give_back_connections", waits.set)

    def write() -> int:
        try:
            return int(client.post(STREAMS, {}, format="json").status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with ExitStack() as held:
            for _ in range(PER_PERSON):
                held.enter_context(REQUESTS.of(ed.pk))
            answer = pool.submit(write)
            assert waits.wait(20)
            change(ed)
        assert answer.result(20) == status
