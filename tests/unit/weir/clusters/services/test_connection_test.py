"""A connection test gives one answer for all forbidden addresses, is rate-limited, and is recorded."""

import socket
from typing import Any

import pytest
from django.core.cache import caches
from pytest_django import Settings

from jobs import broker_addresses
from jobs.connections import ClusterProfile
from tests.support.silent_network import SilentNetwork
from tests.support.users import client_of
from weir.clusters.services import connection_test
from weir.clusters.services.connection_test import ConnectionTest, _Attempt
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
TEST = "/api/v1/workspaces/ops/clusters/test"
INSIDE = [
    "127.0.0.1:22",
    "10.0.0.7:9092",
    "192.168.1.1:80",
    "100.64.0.1:9092",
    "[::1]:6379",
    "[fd00::1]:9092",
    "[64:ff9b::a00:1]:9092",
    "169.254.169.254:80",
]
NAMES = ["localhost:5432", "no-such-host.invalid:9092"]


@pytest.fixture(autouse=True)
def _own_counters(settings: Settings) -> None:
    settings.CACHES = {
        **settings.CACHES,
        "shared": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "tries"},
    }
    caches["shared"].clear()


def run_test(owner: User, bootstrap: str) -> dict[str, Any]:
    answer = client_of(owner).post(TEST, {"bootstrap": bootstrap})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def test_one_answer_for_all_addresses_that_are_not_allowed(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    """Open or closed, of this machine or its neighbours, known by name or not."""
    settings.PRIVATE_CLUSTERS = False
    answers = set()
    for bootstrap in INSIDE + NAMES:
        result = run_test(owner, bootstrap)
        assert [check["state"] for check in result["checks"]] == ["failed"] + ["skipped"] * 4
        assert result["raw"] == ""
        answers.add(
            result["checks"][0]["detail"].replace(bootstrap.replace("[", "").replace("]", ""), "ADDRESS")
        )
    assert len(answers) == 1, answers


def test_tests_are_limited_and_recorded(workspace: Workspace, owner: User, settings: Settings) -> None:
    settings.RATES_PER_MINUTE = {**settings.RATES_PER_MINUTE, "cluster-test": 3}
    statuses = [
        client_of(owner).post(TEST, {"bootstrap": "169.254.169.254:80"}).status_code for _ in range(8)
    ]
    assert statuses[:3] == [200] * 3
    assert 429 in statuses[3:]  # the minute may change once in between
    event = Event.objects.filter(kind="cluster").first()
    assert event is not None
    assert (event.text, event.actor) == ("Connection to 169.254.169.254:80 tested: failed at resolve", "ann")
    assert Event.objects.filter(kind="cluster").count() == statuses.count(200)


def test_saving_a_connection_counts_as_trying_it(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    """Its topics are asked for at once, and say whether the port is open."""
    settings.RATES_PER_MINUTE = {**settings.RATES_PER_MINUTE, "cluster-test": 3}
    client, path = client_of(owner), "/api/v1/workspaces/ops/clusters"
    body = {"name": "far", "bootstrap": "203.0.113.9:9092"}
    made = client.post(path, body)
    assert made.status_code == 201, made.content
    saved = [
        client.put(f"{path}/{made.json()['id']}", {**body, "bootstrap": f"203.0.113.9:{port}"}).status_code
        for port in range(9_000, 9_008)
    ]
    assert 429 in saved
    assert client.get(path).status_code == 200, "reading is not limited"


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
@pytest.mark.parametrize("private", [False, True])
def test_a_name_that_is_none_is_an_unknown_one(
    workspace: Workspace, owner: User, settings: Settings, host: str, *, private: bool
) -> None:
    settings.PRIVATE_CLUSTERS = private
    result = run_test(owner, f"{host}:9092")
    assert (result["checks"][0]["check"], result["checks"][0]["state"]) == ("resolve", "failed")
    assert Event.objects.filter(text__contains=host).count() == 1


def test_every_address_of_a_name_is_tried(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Most machines know themselves as ::1 first, where many brokers don't listen."""
    settings.PRIVATE_CLUSTERS = True
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setattr(broker_addresses, "resolve", lambda *_: ("::1", "127.0.0.2", "127.0.0.1"))
        attempt = _Attempt(ClusterProfile(cluster_id="one", bootstrap=f"b:{port}"), ConnectionTest())
        assert attempt.resolve() == f"b:{port} is ::1 and 127.0.0.2 and 127.0.0.1"
        assert attempt.connect() == f"b:{port} accepts connections"


@pytest.mark.parametrize("lookup_s", [0.0, 8.0])
def test_many_servers_that_do_not_answer_hold_nobody_up(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, lookup_s: float
) -> None:
    settings.PRIVATE_CLUSTERS = True
    network = SilentNetwork(monkeypatch, addresses=500, lookup_s=lookup_s)
    bootstrap = ",".join(f"b{number}.example:9092" for number in range(28))
    result = connection_test.test_connection(ClusterProfile(cluster_id="one", bootstrap=bootstrap))
    assert result.failed == ("resolve" if lookup_s else "connect")
    assert network.now <= 20
