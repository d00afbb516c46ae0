"""Cluster profiles that lead to the home cluster or to forbidden addresses: nothing is read or written."""

import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from jobs.connections import ClusterProfile
from tests.support.forwarder import Forwarder, target_of
from tests.support.kafka_node import KafkaServer
from tests.support.kafka_with_user import KafkaWithUser
from tests.support.misleading_kafka import misleading_kafka
from tests.support.processes import wait_until
from tests.support.run_factories import CONTRACT
from tests.support.secured_kafka import SecuredKafka
from tests.support.users import client_of, create_user, workspace_of
from weir.clusters.models import Cluster
from weir.clusters.services.checks import check_all
from weir.clusters.services.clients import door, home_profile
from weir.clusters.services.topics import delete_topics, describe_topics
from weir.embedded.kafka_node import KafkaNode
from weir.embedded.private_files import write_private
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
LABS = "/api/v1/workspaces/labs"


@pytest.fixture
def forwarder(broker: KafkaServer) -> Iterator[Forwarder]:
    made = Forwarder(target_of(broker.bootstrap))
    yield made
    made.close()


@pytest.fixture
def eve(transactional_db: None) -> Client:
    """The owner of another workspace."""
    somebody = create_user("eve")
    workspace_of(somebody, "labs")
    return client_of(somebody)


@pytest.fixture
def theirs(broker: KafkaServer, workspace: Workspace, owner: User) -> Iterator[str]:
    """A topic of the home cluster that belongs to the workspace ops."""
    name = f"theirs.{uuid.uuid4().hex[:8]}"
    made = {"name": "orders", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client_of(owner).post("/api/v1/workspaces/ops/streams", made).status_code == 201
    yield name
    delete_topics(home_profile(), [name])


@pytest.fixture
def embedded(tmp_path: Path, settings: Settings) -> Iterator[KafkaWithUser]:
    """The broker that `make run` starts, as the home cluster."""
    server = KafkaWithUser(tmp_path / "kafka")
    server.start()
    settings.KAFKA_BOOTSTRAP_SERVERS, settings.KAFKA_OPEN_BOOTSTRAP_SERVERS = (
        server.access.bootstrap,
        server.bootstrap,
    )
    settings.KAFKA_SECURITY, settings.KAFKA_MECHANISM, settings.KAFKA_USERNAME = (
        "SASL_PLAINTEXT",
        "SCRAM-SHA-512",
        "weir",
    )
    settings.KAFKA_PASSWORD_FILE = str(server.access.password_file)
    yield server
    server.stop()


def registered(client: Client, bootstrap: str) -> str:
    made = client.post(f"{LABS}/clusters", {"name": uuid.uuid4().hex[:8], "bootstrap": bootstrap})
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


def everything(client: Client, cluster: str, topic: str) -> list[Any]:
    """All that a workspace can ask of a cluster of its own."""
    topics = f"{LABS}/clusters/{cluster}/topics"
    contract = {"contract": CONTRACT, "cluster": cluster}
    return [
        client.get(f"{topics}?fresh=true"),
        client.get(f"{topics}/{topic}"),
        client.get(f"{topics}/{topic}/records"),
        client.get(f"{topics}/{topic}/records/0/0"),
        client.get(f"{topics}/{topic}/export"),
        client.patch(f"{topics}/{topic}", {"retention_ms": 1}),
        client.delete(f"{topics}/{topic}"),
        client.post(topics, {"name": f"new.{topic}", "partitions": 1}),
        client.post(f"{LABS}/samples/infer", {"topic": topic, "cluster": cluster}),
        client.post(f"{LABS}/streams", {"name": "seen", "topic": topic, **contract}),
        client.post(
            f"{LABS}/streams",
            {"name": "made", "topic": f"new.{topic}", "create": {"partitions": 1}, **contract},
        ),
    ]


def test_a_forwarder_to_the_home_cluster_opens_nothing(
    eve: Client, forwarder: Forwarder, theirs: str
) -> None:
    cluster = registered(eve, forwarder.address)
    for answer in everything(eve, cluster, theirs):
        assert (answer.status_code, answer.json()["code"]) == (422, "CLUSTER_REFUSED"), answer.content
        assert theirs not in answer.json()["detail"]
    for topic in ("weir.runs", "weir.reports"):
        assert eve.get(f"{LABS}/clusters/{cluster}/topics/{topic}/records").status_code == 404
    result = eve.post(f"{LABS}/clusters/test", {"bootstrap": forwarder.address}).json()
    assert [check["state"] for check in result["checks"]] == [
        "passed",
        "passed",
        "passed",
        "failed",
        "skipped",
    ]
    assert result["topics"] is None
    assert theirs not in str(result)
    check_all()
    assert "home cluster" in Cluster.objects.get(pk=cluster).error
    assert set(describe_topics(home_profile(), [theirs, f"new.{theirs}"])) == {theirs}
    assert forwarder.connections  # it was asked: the refusal is not one of the typed address


@pytest.mark.parametrize("listener", [pytest.param("open", marks=pytest.mark.thorough), "with a user"])
def test_neither_listener_of_the_embedded_broker_is_a_cluster_of_ones_own(
    eve: Client, embedded: KafkaWithUser, listener: str
) -> None:
    target = embedded.bootstrap if listener == "open" else embedded.access.bootstrap
    forwarder = Forwarder(target_of(target))
    user = {} if listener == "open" else _user_of(embedded)
    try:
        result = eve.post(f"{LABS}/clusters/test", {"bootstrap": forwarder.address, **user}).json()
        assert [check["state"] for check in result["checks"]] == [
            "passed",
            "passed",
            "passed",
            "failed",
            "skipped",
        ]
        assert "home cluster" in str(result["checks"][3])
        typed = eve.post(f"{LABS}/clusters", {"name": "home again", "bootstrap": target, **user})
        assert (typed.status_code, typed.json()["code"]) == (422, "ADDRESS_FORBIDDEN")
    finally:
        forwarder.close()


def _user_of(kafka: KafkaWithUser) -> dict[str, str]:
    options = kafka.options
    return {
        "security": "SASL_PLAINTEXT", "mechanism": "SCRAM-SHA-512", "username": options["sasl.username"],
        "password": options["sasl.password"],
    }  # fmt: skip


@pytest.mark.thorough
def test_a_refused_user_of_the_home_cluster_is_said(
    embedded: KafkaWithUser, settings: Settings, tmp_path: Path, eve: Client
) -> None:
    check_all()
    assert Cluster.objects.get(pk="home").reachable
    wrong = tmp_path / "wrong"
    write_private(wrong, "not the password")
    settings.KAFKA_PASSWORD_FILE = str(wrong)
    check_all()
    home = Cluster.objects.get(pk="home")
    assert (home.reachable, home.error.partition(":")[0]) == (False, "The cluster rejected user 'weir'")


def test_one_that_leads_home_later_is_seen(
    eve: Client, forwarder: Forwarder, secured: SecuredKafka, theirs: str
) -> None:
    """First to a cluster of its own, where all is allowed; then home, while the process keeps its clients."""
    forwarder.lead_to(target_of(secured.bootstrap))
    cluster = registered(eve, forwarder.address)
    topics = f"{LABS}/clusters/{cluster}/topics"
    assert eve.post(topics, {"name": theirs, "partitions": 1}).status_code == 201
    assert eve.get(f"{topics}/{theirs}/records").status_code == 200
    forwarder.lead_to(target_of(home_profile().bootstrap))

    def refused() -> bool:
        return bool(eve.get(f"{topics}/{theirs}").json().get("code") == "CLUSTER_REFUSED")

    wait_until(refused, 60, "it is seen that the cluster is another")
    assert eve.get(f"{topics}/{theirs}/records").json()["code"] == "CLUSTER_REFUSED"


@pytest.fixture
def misleading(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[KafkaNode]:
    """A running broker that advertises the address given by the test, or a port of the fixture `doorbell`."""
    advertised: str = request.param or f"127.0.0.1:{request.getfixturevalue('doorbell').getsockname()[1]}"
    with misleading_kafka(tmp_path, advertised) as node:
        yield node


@pytest.fixture
def doorbell(settings: Settings) -> Iterator[socket.socket]:
    """An address that counts as the home cluster's; whoever connects to it is noticed."""
    with socket.create_server(("127.0.0.1", 0)) as bell:
        bell.setblocking(False)
        settings.KAFKA_OPEN_BOOTSTRAP_SERVERS = f"127.0.0.1:{bell.getsockname()[1]}"
        yield bell


@pytest.mark.parametrize("misleading", [""], indirect=True, ids=["an address of the home cluster"])
def test_no_connection_to_a_broker_before_its_address_was_checked(
    broker: KafkaServer, eve: Client, doorbell: socket.socket, misleading: KafkaNode
) -> None:
    cluster = registered(eve, misleading.bootstrap)
    for answer in everything(eve, cluster, "any"):
        assert (answer.status_code, answer.json()["code"]) == (422, "CLUSTER_REFUSED"), answer.content
    assert not eve.post(f"{LABS}/clusters/test", {"bootstrap": misleading.bootstrap}).json()["ok"]
    time.sleep(1)  # a client that goes there does so at once, and then again and again
    with pytest.raises(BlockingIOError):
        doorbell.accept()


@pytest.mark.thorough
@pytest.mark.parametrize("misleading", ["169.254.7.7:9092"], indirect=True, ids=["link-local"])
def test_a_broker_that_names_an_address_which_none_may_have(
    broker: KafkaServer, eve: Client, misleading: KafkaNode
) -> None:
    cluster = registered(eve, misleading.bootstrap)
    for answer in everything(eve, cluster, "any"):
        assert (answer.status_code, answer.json()["code"]) == (422, "CLUSTER_REFUSED"), answer.content
        assert "169.254.7.7:9092" in answer.json()["detail"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "misleading", ["127.0.0.9:9092", "10.7.7.7:9092"], indirect=True, ids=["loopback", "private"]
)
def test_a_broker_that_names_a_private_address_where_these_are_refused(
    broker: KafkaServer, eve: Client, misleading: KafkaNode, settings: Settings
) -> None:
    """Calls the check directly: the API refuses the only addresses at which a test can run a broker."""
    profile = ClusterProfile(cluster_id="private", bootstrap=misleading.bootstrap)
    assert door.probe(profile).identity.brokers, "where they are allowed"
    settings.PRIVATE_CLUSTERS = False
    with pytest.raises(ServiceError) as refused:
        door.probe(profile)
    assert refused.value.code == "CLUSTER_REFUSED"
    assert "WEIR_PRIVATE_CLUSTERS" in refused.value.detail
    result = eve.post(f"{LABS}/clusters/test", {"bootstrap": misleading.bootstrap}).json()
    assert [check["state"] for check in result["checks"]] == ["failed", *["skipped"] * 4], "a typed one, too"


def test_without_the_home_cluster_no_other_can_be_distinguished_from_it(
    eve: Client, secured: SecuredKafka, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS = "127.0.0.1:1"
    monkeypatch.setattr("weir.clusters.services.identity.TIMEOUT_S", 0.5)
    cluster = registered(eve, secured.bootstrap)
    answer = eve.get(f"{LABS}/clusters/{cluster}/topics/any")
    assert (answer.status_code, answer.json()["code"]) == (503, "BROKER_UNREACHABLE")
