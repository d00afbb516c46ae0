"""Two web processes beside each other count together, and believe no header about where a client is."""

from collections.abc import Iterator
from itertools import count, cycle

import pytest
import requests

from tests.support.valkey_node import ValkeyServer
from tests.support.web_processes import WebProcesses

pytestmark = [pytest.mark.integration, pytest.mark.thorough]
PEOPLE = """
from weir.workspaces.models import User
for name in ("ann", "bob", "eve"):
    User.objects.create_user(name, password="a long passphrase")
"""
CLEAR = "from axes.models import AccessAttempt; AccessAttempt.objects.all().delete()"
_HOSTS = count(1)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory, valkey: ValkeyServer) -> Iterator[WebProcesses]:
    processes = WebProcesses(tmp_path_factory.mktemp("web"), valkey.url)
    try:
        processes.start()
        processes.manage("shell", "-c", PEOPLE)
        yield processes
    finally:
        processes.stop()


def browser(address: str) -> requests.Session:
    session = requests.Session()
    session.get(f"{address}/api/v1/session", timeout=30)
    session.headers["X-CSRFToken"] = session.cookies["csrftoken"]
    return session


def sign_in(address: str, username: str, password: str) -> requests.Response:
    """As one who says with each request to be somewhere else."""
    elsewhere = f"198.51.100.{next(_HOSTS) % 250}"
    headers = {"X-Forwarded-For": elsewhere, "X-Real-IP": elsewhere, "Forwarded": f"for={elsewhere}"}
    body = {"username": username, "password": password}
    return browser(address).post(f"{address}/api/v1/session", json=body, headers=headers, timeout=30)


@pytest.mark.long
def test_wrong_passwords_are_counted_over_processes(web: WebProcesses) -> None:
    addresses = cycle(web.addresses)
    codes = [sign_in(next(addresses), "ann", "wrong").status_code for _ in range(10)]
    assert codes == [401] * 9 + [429]
    for address in web.addresses:
        answer = sign_in(address, "ann", "a long passphrase")
        assert (answer.status_code, answer.headers["Content-Type"]) == (429, "application/problem+json")
        assert int(answer.headers["Retry-After"]) > 0
    # Another person at the same address is not locked out by it.
    assert sign_in(web.addresses[0], "bob", "a long passphrase").status_code == 200


@pytest.mark.long
def test_rates_are_counted_over_processes(web: WebProcesses) -> None:
    # 120 in a minute by address; the minute may change once on the way.
    addresses = cycle(web.addresses)
    codes = [
        requests.get(f"{next(addresses)}/sign-in/x/", allow_redirects=False, timeout=30).status_code
        for _ in range(250)
    ]
    assert codes[0] == 302
    assert codes.count(429) >= 10


def test_without_valkey_people_sign_in_and_guesses_still_count(
    web: WebProcesses, valkey: ValkeyServer
) -> None:
    web.manage("shell", "-c", CLEAR)
    valkey.kill()
    try:
        addresses = cycle(web.addresses)
        assert sign_in(next(addresses), "bob", "a long passphrase").status_code == 200
        codes = [sign_in(next(addresses), "eve", "wrong").status_code for _ in range(10)]
        assert codes == [401] * 9 + [429]
    finally:
        valkey.start()
