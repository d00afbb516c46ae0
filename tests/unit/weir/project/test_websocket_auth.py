"""A ticket opens a WebSocket no longer than the session or token that it was made with."""

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.utils import timezone
from rest_framework.test import APIClient

from tests.support.live_client import LiveClient
from tests.support.users import HOST
from weir.workspaces.models import ApiToken, User, Workspace
from weir.workspaces.services.one_time_tokens import create_ticket
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


async def opens(ticket: str) -> bool:
    client = LiveClient(query=f"ticket={ticket}", headers=[(b"host", b"localhost")])
    opened = await client.connect()
    if opened:
        await client.leave()
    return opened


@pytest.mark.parametrize("loss", ["none", "signed out", "expired", "password"])
async def test_a_ticket_of_a_session(owner: User, workspace: Workspace, loss: str) -> None:
    def ticket_before_the_loss() -> str:
        client = APIClient(SERVER_NAME=HOST)
        client.post("/api/v1/session", {"username": "ann", "password": "a long passphrase"})
        ticket: str = client.post(f"/api/v1/workspaces/{workspace.slug}/live-ticket").json()["ticket"]
        if loss == "signed out":
            assert client.delete("/api/v1/session").status_code == 204
        elif loss == "expired":
            Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
        elif loss == "password":
            owner.set_password("another long passphrase")
            owner.save()
        return ticket

    ticket = await sync_to_async(ticket_before_the_loss)()
    assert await opens(ticket) is (loss == "none")


@pytest.mark.parametrize("loss", ["none", "expired"])
async def test_a_ticket_of_a_token(owner: User, loss: str) -> None:
    def ticket_before_the_loss() -> str:
        ticket = create_ticket(owner, token=create_token(owner, "ci", timedelta(days=1))[0])
        if loss == "expired":
            ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
        return ticket

    ticket = await sync_to_async(ticket_before_the_loss)()
    assert await opens(ticket) is (loss == "none")
