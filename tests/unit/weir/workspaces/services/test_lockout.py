"""Wrong passwords are counted per account and per address, whatever the client says about itself."""

from datetime import timedelta
from itertools import count

import pytest
from axes.models import AccessAttempt
from django.test import RequestFactory
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.support.users import HOST, create_user
from weir.workspaces.api.client_address import client_address
from weir.workspaces.checks import proxies_are_counted
from weir.workspaces.models import User
from weir.workspaces.services.lockout import BY_ONE_ADDRESS, FOR_ONE_ACCOUNT, FROM_ONE_ADDRESS

pytestmark = pytest.mark.django_db
SESSION = "/api/v1/session"
RIGHT = "a long passphrase"


@pytest.fixture(autouse=True)
def _no_rates(settings: Settings) -> None:
    """The rate of requests of an address would answer first."""
    settings.RATES_PER_MINUTE = dict.fromkeys(settings.RATES_PER_MINUTE, 10_000)


_AGENTS = count()


def sign_in(username: str, password: str, address: str = "192.0.2.1", **headers: str) -> int:
    client = APIClient(SERVER_NAME=HOST)
    headers = {"HTTP_USER_AGENT": f"agent {next(_AGENTS)}", **headers}
    return client.post(
        SESSION, {"username": username, "password": password}, REMOTE_ADDR=address, **headers
    ).status_code


def wrong(times: int, username: str, address: str, **headers: str) -> list[int]:
    return [sign_in(username, "wrong", address, **headers) for _ in range(times)]


@pytest.mark.parametrize("username", ["ann", "nobody"])
def test_an_account_is_locked_for_the_address_that_guesses(owner: User, username: str) -> None:
    assert wrong(FROM_ONE_ADDRESS, username, "192.0.2.1") == [401] * (FROM_ONE_ADDRESS - 1) + [429]
    assert sign_in(username, RIGHT, "192.0.2.1") == 429
    # The owner at home is not in the way of somebody elsewhere who guesses.
    assert sign_in("ann", RIGHT, "192.0.2.2") == 200


def test_headers_of_the_client_change_nothing(owner: User) -> None:
    for at in range(FROM_ONE_ADDRESS):
        sign_in(
            "ann",
            "wrong",
            HTTP_X_FORWARDED_FOR=f"198.51.100.{at}",
            HTTP_X_REAL_IP=f"198.51.100.{at}",
            HTTP_FORWARDED=f"for=198.51.100.{at}",
        )
    assert sign_in("ann", RIGHT, HTTP_X_FORWARDED_FOR="203.0.113.9") == 429


def test_many_addresses_together_lock_an_account(owner: User) -> None:
    for at in range(FOR_ONE_ACCOUNT // 5):
        wrong(5, "ann", f"198.51.100.{at}")
    assert sign_in("ann", RIGHT, "203.0.113.9") == 429


def test_one_address_cannot_try_many_accounts(owner: User) -> None:
    for at in range(BY_ONE_ADDRESS):
        sign_in(f"person{at}", "wrong", "198.51.100.1")
    assert sign_in("ann", RIGHT, "198.51.100.1") == 429
    assert sign_in("ann", RIGHT, "198.51.100.2") == 200


def test_a_sign_in_of_ones_own_does_not_forget_the_guesses_for_others(owner: User) -> None:
    create_user("eve")
    codes = []
    for _ in range(3):
        codes += wrong(FROM_ONE_ADDRESS // 2, "ann", "198.51.100.1")
        sign_in("eve", RIGHT, "198.51.100.1")
    assert 429 in codes


def test_the_right_password_forgets_ones_own_mistakes(owner: User) -> None:
    for _ in range(3):
        wrong(FROM_ONE_ADDRESS - 1, "ann", "192.0.2.1")
        assert sign_in("ann", RIGHT, "192.0.2.1") == 200


def test_it_ends_by_itself(owner: User) -> None:
    wrong(FROM_ONE_ADDRESS, "ann", "192.0.2.1")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in("ann", RIGHT, "192.0.2.1") == 200
    assert not AccessAttempt.objects.exists()


def test_no_password_is_kept(owner: User) -> None:
    APIClient(SERVER_NAME=HOST).post(
        f"{SESSION}?password=planted", {"username": "ann", "password": "planted"}
    )
    assert "planted" not in str(list(AccessAttempt.objects.values()))


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "found"),
    [
        (0, "192.0.2.1", "198.51.100.1", "192.0.2.1"),
        (1, "192.0.2.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        (2, "192.0.2.1", "203.0.113.9, 198.51.100.1, 10.0.0.1", "198.51.100.1"),
        (1, "192.0.2.1", "", "192.0.2.1"),
        (1, "192.0.2.1", "no address", "192.0.2.1"),
        (1, "192.0.2.1", "198.51.100.1:4711", "198.51.100.1"),
        (1, "192.0.2.1", "[2001:db8::1]:4711", "2001:db8::"),
        (0, "2001:db8:0:1:aaaa::1", "", "2001:db8:0:1::"),
        (0, "::ffff:192.0.2.1", "", "192.0.2.1"),
        (0, "", "198.51.100.1", "0.0.0.0"),
    ],
)
def test_the_address_of_a_client(
    settings: Settings, proxies: int, remote: str, forwarded: str, found: str
) -> None:
    settings.NUM_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == found


def test_a_proxy_that_is_not_counted_is_warned_of(settings: Settings) -> None:
    assert proxies_are_counted() == []
    settings.BEHIND_TLS = True
    assert [message.id for message in proxies_are_counted()] == ["weir.W001"]
    settings.NUM_PROXIES = 1
    assert proxies_are_counted() == []
