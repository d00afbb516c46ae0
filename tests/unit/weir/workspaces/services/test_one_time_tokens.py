"""Sign-in links and tickets work once, for a short time, for what they were made for."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.support.users import HOST, client_of, workspace_of
from weir.workspaces.models import ApiToken, OneTimeToken, User
from weir.workspaces.services.one_time_tokens import (
    create_sign_in_link,
    create_ticket,
    redeem_sign_in,
    redeem_ticket,
)
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db


def test_a_ticket_works_once(owner: User) -> None:
    ticket = create_ticket(owner)
    redeemed = redeem_ticket(ticket)
    assert redeemed is not None
    assert (redeemed.user, redeemed.token, redeemed.session_key) == (owner, None, "")
    assert redeem_ticket(ticket) is None


@pytest.mark.parametrize("loss", ["revoked", "expired"])
def test_a_ticket_ends_with_its_token(owner: User, loss: str) -> None:
    token, text = create_token(owner, "ci", timedelta(days=1))
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    workspace_of(owner)
    ticket = client.post("/api/v1/workspaces/ops/live-ticket").json()["ticket"]
    assert OneTimeToken.objects.get().token == token
    if loss == "revoked":
        client.delete(f"/api/v1/tokens/{token.token_key}")
        assert not OneTimeToken.objects.exists()
    else:
        ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert redeem_ticket(ticket) is None


def test_a_ticket_of_a_browser_knows_its_session(owner: User) -> None:
    workspace_of(owner)
    client = APIClient(SERVER_NAME=HOST)
    client.post("/api/v1/session", {"username": "ann", "password": "a long passphrase"})
    client.post("/api/v1/workspaces/ops/live-ticket")
    assert OneTimeToken.objects.get().session_key == client.session.session_key


def test_a_ticket_is_no_sign_in_link(owner: User) -> None:
    assert redeem_sign_in(create_ticket(owner)) is None


def test_an_expired_ticket_does_not_work(owner: User) -> None:
    ticket = create_ticket(owner)
    OneTimeToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert redeem_ticket(ticket) is None


def test_only_the_digest_is_kept(owner: User) -> None:
    ticket = create_ticket(owner)
    assert ticket not in str(OneTimeToken.objects.values().get())


def test_a_person_who_left_cannot_use_it(owner: User) -> None:
    ticket = create_ticket(owner)
    User.objects.update(is_active=False)
    assert redeem_ticket(ticket) is None


def test_a_link_signs_in_once(owner: User) -> None:
    link, client = create_sign_in_link(owner), client_of()
    answer = client.get(link)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/api/v1/session").json()["user"]["username"] == "ann"
    again = client_of().get(link)
    assert "expired" in again["Location"]


@pytest.mark.parametrize("text", ["", "x", "\x00", "é" * 300, "'; drop table", "\ud800"])
def test_nonsense_is_nobody(text: str) -> None:
    assert redeem_ticket(text) is None


def test_the_link_of_the_command_leads_where_people_reach_weir(owner: User, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://weir.example.com"
    out = StringIO()
    call_command("sign_in_link", "ann", stdout=out)
    address, path = out.getvalue().strip()[:24], out.getvalue().strip()[24:]
    assert address == "https://weir.example.com"
    assert client_of().get(path)["Location"] == "/"
