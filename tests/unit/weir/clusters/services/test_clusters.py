"""What is shown of the home cluster, and what one cluster costs the others: nothing."""

import threading
from concurrent.futures import wait
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs import kafka_request
from jobs.connections import ClusterProfile
from tests.support.run_factories import trades
from tests.support.users import client_of
from weir.clusters.models import HOME, Cluster
from weir.clusters.services import checks, upkeep
from weir.clusters.services.checks import _store_check, check_all
from weir.clusters.services.clusters import all_clusters, home_cluster, profiles_of_all
from weir.runs.services.connection_rollout import roll_out_connections
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_the_open_listener_is_shown_where_there_is_one(settings: Settings) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS, settings.KAFKA_SECURITY, settings.KAFKA_MECHANISM = (
        "k:9094",
        "SASL_PLAINTEXT",
        "SCRAM-SHA-512",
    )
    settings.KAFKA_USERNAME, settings.KAFKA_OPEN_BOOTSTRAP_SERVERS = "weir", "k:9092"
    row = home_cluster()
    assert (row.bootstrap, row.security, row.mechanism, row.username) == ("k:9092", "PLAINTEXT", "", "")
    settings.KAFKA_OPEN_BOOTSTRAP_SERVERS = ""
    row = home_cluster()
    assert (row.bootstrap, row.security, row.mechanism, row.username) == (
        "k:9094",
        "SASL_PLAINTEXT",
        "SCRAM-SHA-512",
        "",
    )
    row.refresh_from_db()
    assert (row.bootstrap, row.security) == ("k:9094", "SASL_PLAINTEXT")


def test_text_that_is_no_certificate_is_refused_before_it_is_saved(workspace: Workspace, owner: User) -> None:
    ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    body = {"bootstrap": "203.0.113.7:9093", "security": "SSL", "ca": ca}
    for path, more in (("", {"name": "far"}), ("/test", {})):
        answer = client_of(owner).post(f"/api/v1/workspaces/ops/clusters{path}", {**body, **more})
        assert (answer.status_code, answer.json()["code"]) == (422, "CLUSTER_INVALID")
        assert answer.json()["problems"][0]["path"] == ["ca"]


@pytest.fixture
def older(workspace: Workspace) -> Cluster:
    """A cluster that an older version of Weir saved, with a connection that this one doesn't take."""
    made = Cluster.objects.create(id="c1", workspace=workspace, name="older", bootstrap="no address")
    trades(workspace, name="far", topic="far")
    Stream.objects.filter(name="far").update(cluster=made)
    return made


def test_a_connection_that_cannot_be_read_costs_that_cluster_alone(
    workspace: Workspace, owner: User, older: Cluster, settings: Settings
) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS = "127.0.0.1:1"
    check_all()
    upkeep.read_upkeep(all_clusters())
    roll_out_connections()
    assert set(profiles_of_all()) == {HOME}
    client = client_of(owner)
    listed = client.get("/api/v1/workspaces/ops/clusters").json()["results"]
    (row,) = [row for row in listed if row["id"] == older.pk]
    assert (row["reachable"], row["error"]) == (
        False, "The saved connection of cluster older can't be used. Enter it again.",
    )  # fmt: skip
    streams = client.get("/api/v1/workspaces/ops/streams")
    assert streams.status_code == 200
    assert row["error"] in streams.json()["error"]
    entered = client.put(
        f"/api/v1/workspaces/ops/clusters/{older.pk}", {"name": "older", "bootstrap": "203.0.113.7:9092"}
    )
    assert entered.status_code == 200, entered.content


def test_what_was_found_of_a_connection_is_not_told_of_another(workspace: Workspace, owner: User) -> None:
    """Somebody corrects the address while the wrong one is being tried."""
    made = Cluster.objects.create(id="c1", workspace=workspace, name="far", bootstrap="203.0.113.7:9092")
    Cluster.objects.filter(pk="c1").update(revision=2)
    _store_check(made, "Kafka timed out.")
    assert Cluster.objects.get(pk="c1").reachable is None
    made.refresh_from_db()
    _store_check(made, "Kafka timed out.")
    assert Cluster.objects.get(pk="c1").reachable is False


def test_a_broker_that_breaks_a_decoder_costs_its_cluster_alone(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at, share in (("c1", 0.1), ("c2", 0.2)):
        Cluster.objects.create(
            id=at, workspace=workspace, name=at, bootstrap="203.0.113.7:9092", disk_used_share=share
        )

    def answer(profile: ClusterProfile) -> upkeep.Upkeep:
        if profile.cluster_id == "c1":
            raise ValueError("what a hostile answer makes of a decoder")
        return upkeep.Upkeep(disk_used_share=0.5)

    monkeypatch.setattr(upkeep, "upkeep_of", answer)
    upkeep.read_upkeep([*Cluster.objects.exclude(pk=HOME)])
    assert dict(Cluster.objects.exclude(pk=HOME).values_list("pk", "disk_used_share")) == {
        "c1": None, "c2": 0.5,
    }  # fmt: skip


def test_many_that_do_not_answer_say_nothing_of_the_others(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = [f"slow{number:02}" for number in range(checks._THREADS)]
    for name in [*slow, "zz"]:
        Cluster.objects.create(id=name, workspace=workspace, name=name, bootstrap="203.0.113.7:9092")
    Cluster.objects.filter(pk__in=slow).update(checked_at=timezone.now() - timedelta(hours=2))
    Cluster.objects.filter(pk="zz").update(reachable=True, checked_at=timezone.now() - timedelta(hours=1))
    answered, asked = threading.Event(), threading.Semaphore(0)

    def reachable(profile: ClusterProfile) -> str:
        if profile.cluster_id.startswith("slow"):
            asked.release()
            answered.wait(60)
        return ""

    def states() -> set[bool | None]:
        return {row.reachable for row in Cluster.objects.filter(pk__in=slow)}

    def wait_in_vain(calls: Any, timeout: float) -> Any:
        """All threads have a cluster that does not answer."""
        for _ in slow:
            assert asked.acquire(timeout=60)
        return wait(calls, timeout)

    monkeypatch.setattr(checks, "CHECK_TIMEOUT_S", 0.5)
    monkeypatch.setattr(checks, "reachable", reachable)
    monkeypatch.setattr(checks, "wait", wait_in_vain)
    try:
        check_all()
        assert Cluster.objects.get(pk="zz").reachable is True, "its turn did not come"
        assert states() == {False}
        check_all()  # whoever waited comes before who was asked
        assert Cluster.objects.get(pk="zz").checked_at > timezone.now() - timedelta(minutes=1)
        assert states() == {False}
    finally:
        answered.set()


def test_brokers_that_take_long_to_tell_end_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of them, a few seconds each, would hold a worker's thread for half an hour."""
    now = 0.0
    asked: list[str] = []

    def answer(_: object, options: dict[str, Any], __: int) -> Any:
        nonlocal now
        now += 3.9
        asked.append(options["bootstrap_servers"][0])
        folder = SimpleNamespace(total_bytes=10, usable_bytes=5, error_code=0)
        return SimpleNamespace(results=[folder])

    monkeypatch.setattr(kafka_request, "send_request", answer)
    monkeypatch.setattr(upkeep.time, "monotonic", lambda: now)
    profile = ClusterProfile(cluster_id="c1", bootstrap="b:1")
    brokers = [(f"b{number}", 9092) for number in range(500)]
    assert upkeep._disk_used(profile, brokers) is None
    assert len(asked) <= upkeep.MAX_S / 3.9 + 1
    assert upkeep._disk_used(profile, brokers[:3]) == 0.5
