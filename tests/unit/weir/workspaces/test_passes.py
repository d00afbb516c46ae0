"""Sign-in links and tickets work once, for a short time, for what they were made for."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.weir_people import client_of
from weir.workspaces.models import OneTimePass, User
from weir.workspaces.passes import delete_expired, make_sign_in_link, make_ticket, redeem_sign_in, redeem_ticket

pytestmark = pytest.mark.django_db


def test_a_ticket_works_once(owner: User) -> None:
    ticket = make_ticket(owner)
    assert redeem_ticket(ticket) == owner
    assert redeem_ticket(ticket) is None


def test_a_ticket_is_no_sign_in_link(owner: User) -> None:
    assert redeem_sign_in(make_ticket(owner)) is None


def test_an_expired_ticket_does_not_work_and_is_swept(owner: User) -> None:
    ticket = make_ticket(owner)
    OneTimePass.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert redeem_ticket(ticket) is None
    assert delete_expired() == 1


def test_only_the_digest_is_kept(owner: User) -> None:
    ticket = make_ticket(owner)
    assert ticket not in str(OneTimePass.objects.values().get())


def test_a_person_who_left_cannot_use_it(owner: User) -> None:
    ticket = make_ticket(owner)
    User.objects.update(is_active=False)
    assert redeem_ticket(ticket) is None


def test_a_link_signs_in_once(owner: User) -> None:
    link, client = make_sign_in_link(owner), client_of()
    answer = client.get(link)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/api/v1/session").json()["user"]["username"] == "ann"
    again = client_of().get(link)
    assert "expired" in again["Location"]


@pytest.mark.parametrize("text", ["", "x", "\x00", "é" * 300, "'; drop table", "\ud800"])
def test_nonsense_is_nobody(text: str) -> None:
    assert redeem_ticket(text) is None
