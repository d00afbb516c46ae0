"""Clusters of a workspace, with TLS and users: checks of a connection test, encryption, hidden passwords."""

import socket
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT
from tests.support.secured_kafka import SecuredKafka
from tests.support.users import client_of, create_user, member, workspace_of
from weir.clusters.models import Cluster
from weir.clusters.services.checks import check_all
from weir.clusters.services.clusters import profile_of
from weir.clusters.tasks import check_clusters, read_upkeep
from weir.streams.services import topic_stats
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
CLUSTERS = "/api/v1/workspaces/ops/clusters"
PASSWORD = 'planted "pass\\word'


@pytest.fixture(autouse=True)
def _keys(broker: KafkaServer, secured: SecuredKafka, settings: Settings, tmp_path: Path) -> None:
    secured.set_password("ann", PASSWORD)
    settings.ENCRYPTION_KEY_FILE = tmp_path / "secrets" / "encryption.keys"


def scram(secured: SecuredKafka, **other: str) -> dict[str, str]:
    return secured.scram("ann", PASSWORD) | other


def connection_result(owner: User, body: dict[str, Any]) -> dict[str, Any]:
    answer = client_of(owner).post(f"{CLUSTERS}/test", body)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_connection_test_runs_all_checks(
    secured: SecuredKafka, workspace: Workspace, owner: User, mechanism: str
) -> None:
    result = connection_result(owner, scram(secured, mechanism=mechanism))
    assert [check["state"] for check in result["checks"]] == ["passed"] * 5, result
    assert result["ok"]
    assert result["checks"][2]["detail"].startswith("TLSv1.3; the certificate is valid for 127.0.0.1")
    assert not Cluster.objects.exclude(pk="home").exists()


def test_plain_and_tls_without_a_user_and_plaintext(
    secured: SecuredKafka, workspace: Workspace, owner: User
) -> None:
    assert connection_result(owner, scram(secured, mechanism="PLAIN", password="plain-password"))["ok"]
    assert connection_result(owner, {"bootstrap": secured.tls, "security": "SSL", "ca": secured.ca})["ok"]
    assert connection_result(owner, {"bootstrap": secured.bootstrap})["ok"]


def test_the_check_that_failed_is_named_with_its_cause(
    secured: SecuredKafka, workspace: Workspace, owner: User
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        cases = [
            ({"bootstrap": "no-such-host.invalid:9092"}, "resolve", "Unknown host"),
            ({"bootstrap": "169.254.169.254:80"}, "resolve", "isn't allowed"),
            ({"bootstrap": "127.0.0.1:1"}, "connect", "Nothing listens"),
            ({"bootstrap": secured.tls, "security": "SSL"}, "tls", "Paste the CA certificate"),
            (
                {
                    "bootstrap": secured.tls.replace("127.0.0.1", "localhost"),
                    "security": "SSL",
                    "ca": secured.ca,
                },
                "tls",
                "valid for localhost",
            ),
            (
                {"bootstrap": f"127.0.0.1:{silent.getsockname()[1]}", "security": "SSL"},
                "tls",
                "doesn't answer to TLS",
            ),
            (
                {"bootstrap": secured.bootstrap, "security": "SSL", "ca": secured.ca},
                "tls",
                "no TLS on this port",
            ),
            (scram(secured, password="wrong"), "authenticate", "rejected user 'ann'"),
            (scram(secured, username="bob"), "authenticate", "rejected user 'bob'"),
            ({"bootstrap": secured.tls}, "authenticate", "Not a Kafka listener"),
        ]
        for body, check, says in cases:
            result = connection_result(owner, body)
            failed = [row for row in result["checks"] if row["state"] == "failed"]
            assert [row["check"] for row in failed] == [check], (body["bootstrap"], result)
            assert says in failed[0]["detail"], failed
            assert result["elapsed_ms"] < 20_000
            assert PASSWORD not in str(result)


def test_a_password_is_encrypted_and_never_readable_again(
    secured: SecuredKafka, workspace: Workspace, owner: User, settings: Settings
) -> None:
    client = client_of(owner)
    made = client.post(CLUSTERS, {"name": "Trading", **scram(secured)})
    assert made.status_code == 201, made.content
    row = Cluster.objects.get(pk=made.json()["id"])
    assert row.password.startswith("v1:")
    assert settings.ENCRYPTION_KEY_FILE.stat().st_mode & 0o777 == 0o600
    shown = [made, client.get(CLUSTERS), client.get(f"{CLUSTERS}/{row.pk}")]
    assert all(
        b"planted" not in answer.content and row.password.encode() not in answer.content for answer in shown
    )
    assert made.json()["password_set_at"]
    # Tests and renames without a password use the stored one
    # (tests/unit/weir/clusters/services/test_passwords.py).
    kept = {key: value for key, value in scram(secured).items() if key != "password"}
    assert connection_result(owner, {**kept, "cluster": row.pk})["ok"]
    changed = client.put(f"{CLUSTERS}/{row.pk}", {"name": "Trading floor", **kept})
    assert (changed.status_code, changed.json()["name"]) == (200, "Trading floor")
    assert Cluster.objects.get(pk=row.pk).password == row.password
    check_all()
    assert Cluster.objects.get(pk=row.pk).reachable is True
    secured.set_password("carl", "first")
    carl = client.post(
        CLUSTERS, {"name": "Carl", **scram(secured, username="carl", password="first")}
    ).json()["id"]
    secured.set_password("carl", "second")
    assert (
        client.put(
            f"{CLUSTERS}/{carl}", {"name": "Carl", **scram(secured, username="carl", password="second")}
        ).status_code
        == 200
    )
    assert client.get(f"{CLUSTERS}/{carl}/topics").status_code == 200


def test_topics_and_streams_of_a_second_cluster(
    secured: SecuredKafka, broker: KafkaServer, workspace: Workspace, owner: User
) -> None:
    client = client_of(owner)
    cluster = client.post(CLUSTERS, {"name": "Trading", **scram(secured)}).json()["id"]
    topic = f"far.{uuid.uuid4().hex[:8]}"
    assert client.post(f"{CLUSTERS}/{cluster}/topics", {"name": topic, "partitions": 2}).status_code == 201
    made = client.post(
        "/api/v1/workspaces/ops/streams",
        {"name": "far", "cluster": cluster, "topic": topic, "contract": CONTRACT},
    )
    assert made.status_code == 201, made.content
    assert (made.json()["cluster"], made.json()["cluster_name"]) == (cluster, "Trading")
    value = {"symbol": "A", "price": 1.0, "at": 1_750_000_000_000}
    assert (
        client.post("/api/v1/workspaces/ops/streams/far/records", {"records": [{"value": value}]}).status_code
        == 201
    )
    assert client.get("/api/v1/workspaces/ops/streams/far/records").json()["records"][0]["row"] == value
    assert (
        client.post("/api/v1/workspaces/ops/samples/infer", {"cluster": cluster, "topic": topic}).json()[
            "scan"
        ]["records"]
        == 1
    )
    assert topic not in [row["name"] for row in client.get(f"{CLUSTERS}/home/topics").json()["results"]]
    refused = client.delete(f"{CLUSTERS}/{cluster}")
    assert (refused.status_code, refused.json()["code"]) == (409, "IN_USE")
    assert "far" in refused.json()["detail"]
    assert client.get(f"{CLUSTERS}/{cluster}").json()["used_by"] == [{"stream": "far", "jobs": []}]


def test_a_dead_cluster_delays_nothing_but_its_own_page(
    secured: SecuredKafka, broker: KafkaServer, workspace: Workspace, owner: User
) -> None:
    client = client_of(owner)
    with socket.socket() as silent:  # takes connections and says nothing: the worst kind of dead
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        dead = client.post(
            CLUSTERS, {"name": "Dead", "bootstrap": f"127.0.0.1:{silent.getsockname()[1]}"}
        ).json()["id"]
        topic = f"near.{uuid.uuid4().hex[:8]}"
        near = client.post(
            "/api/v1/workspaces/ops/streams",
            {"name": "near", "topic": topic, "create": {"partitions": 1}, "contract": CONTRACT},
        )
        assert near.status_code == 201, near.content
        stream = workspace.streams.get(name="near")
        stream.pk, stream.name, stream.cluster, stream._state.adding = (
            None,
            "gone",
            Cluster.objects.get(pk=dead),
            True,
        )
        stream.save()
        for path in ("clusters", "streams", "clusters/home/topics", "overview", "streams/near/records"):
            began = time.monotonic()
            answer = client.get(f"/api/v1/workspaces/ops/{path}")
            took = time.monotonic() - began
            assert answer.status_code == 200
            assert took < topic_stats.FETCH_TIMEOUT_S + 1.2, (path, took)
        listed = client.get("/api/v1/workspaces/ops/streams").json()
        assert {row["name"]: row["records"] for row in listed["results"]} == {"gone": None, "near": 0}
        assert profile_of(stream.cluster).bootstrap in listed["error"]
        answer = client.get(f"{CLUSTERS}/{dead}/topics")
        assert (answer.status_code, answer.json()["code"]) == (503, "BROKER_UNREACHABLE")
        check_all()
        assert (Cluster.objects.get(pk=dead).reachable, Cluster.objects.get(pk="home").reachable) == (
            False,
            True,
        )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"sasl.jaas.config": "x"}, "sasl.jaas.config"),
        ({"plugin.library.paths": "/x.so"}, "plugin.library.paths"),
        ({"security": "SASL_SSL", "mechanism": "OAUTHBEARER"}, "mechanism"),
        ({"security": "SASL_SSL", "mechanism": "GSSAPI"}, "mechanism"),
        ({"bootstrap": "http://x:1"}, "bootstrap"),
        ({"security": "SSL", "ca": "/etc/passwd"}, "ca"),
        ({"security": "SASL_SSL", "mechanism": "PLAIN", "username": "a", "password": "a;b"}, "password"),
        ({"workspace": 2}, "workspace"),
        ({"id": "home"}, "id"),
    ],
)
def test_everything_else_is_refused(
    workspace: Workspace, owner: User, body: dict[str, Any], field: str
) -> None:
    for path in (CLUSTERS, f"{CLUSTERS}/test"):
        name = {"name": "X"} if path == CLUSTERS else {}
        answer = client_of(owner).post(path, {"bootstrap": "127.0.0.1:9092", **name, **body})
        assert answer.status_code in (400, 422)
        faults = list(answer.json().get("errors", {})) + [
            problem["path"][0] for problem in answer.json().get("problems", [])
        ]
        assert field in faults


def test_addresses_that_no_cluster_may_have(
    broker: KafkaServer, workspace: Workspace, owner: User, settings: Settings
) -> None:
    settings.RATES_PER_MINUTE = {**settings.RATES_PER_MINUTE, "cluster-test": 100}
    port = broker.bootstrap.rpartition(":")[2]
    made = client_of(owner).post(CLUSTERS, {"name": "X", "bootstrap": "127.0.0.1:1"}).json()["id"]
    for bootstrap in (
        "169.254.169.254:80",
        "0.0.0.0:9092",
        f"localhost:{port}",
        f"[::ffff:127.0.0.1]:{port}",
    ):
        for answer in (
            client_of(owner).post(CLUSTERS, {"name": "Y", "bootstrap": bootstrap}),
            client_of(owner).put(f"{CLUSTERS}/{made}", {"name": "X", "bootstrap": bootstrap}),
        ):
            assert (answer.status_code, answer.json()["code"]) == (422, "ADDRESS_FORBIDDEN"), bootstrap
        assert connection_result(owner, {"bootstrap": bootstrap})["checks"][0]["state"] == "failed"
    unknown = {"name": "Z", "bootstrap": "kafka.example.invalid:9092"}
    assert client_of(owner).post(CLUSTERS, unknown).status_code == 201


def test_roles_and_strangers(workspace: Workspace, owner: User) -> None:
    made = client_of(owner).post(CLUSTERS, {"name": "X", "bootstrap": "127.0.0.1:1"}).json()["id"]
    editor = client_of(member(workspace, "ed", Role.EDITOR))
    for answer in (
        editor.post(CLUSTERS, {}),
        editor.post(f"{CLUSTERS}/test", {}),
        editor.put(f"{CLUSTERS}/{made}", {}),
        editor.delete(f"{CLUSTERS}/{made}"),
    ):
        assert answer.status_code == 403
    eve = create_user("eve")
    workspace_of(eve, "labs")
    labs = client_of(eve)
    foreign = "/api/v1/workspaces/labs/clusters"
    assert [row["id"] for row in labs.get(foreign).json()["results"]] == ["home"]
    for answer in (
        labs.get(f"{foreign}/{made}"),
        labs.put(f"{foreign}/{made}", {"name": "Y", "bootstrap": "127.0.0.1:2"}),
        labs.delete(f"{foreign}/{made}"),
        labs.get(f"{foreign}/{made}/topics"),
        labs.post(f"{foreign}/{made}/topics", {"name": "t", "partitions": 1}),
        labs.get(f"{foreign}/{made}/topics/t"),
        labs.delete(f"{foreign}/{made}/topics/t"),
        labs.get(f"{foreign}/{made}/topics/t/records"),
        labs.post(f"{foreign}/test", {"bootstrap": "127.0.0.1:1", "cluster": made}),
        labs.post(
            "/api/v1/workspaces/labs/streams",
            {"name": "s", "cluster": made, "topic": "t", "contract": CONTRACT},
        ),
        labs.post("/api/v1/workspaces/labs/samples/infer", {"cluster": made, "topic": "t"}),
        labs.post(
            "/api/v1/workspaces/labs/samples/validate", {"cluster": made, "topic": "t", "contract": CONTRACT}
        ),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    home = client_of(owner).put(f"{CLUSTERS}/home", {"name": "Y", "bootstrap": "127.0.0.1:2"})
    assert (home.status_code, home.json()["code"]) == (422, "HOME_CLUSTER")
    assert client_of(owner).delete(f"{CLUSTERS}/home").status_code == 422


def test_disks_and_certificates_are_looked_after(
    broker: KafkaServer, secured: SecuredKafka, workspace: Workspace, owner: User
) -> None:
    client = client_of(owner)
    made = client.post(CLUSTERS, {"name": "far", **scram(secured)})
    assert made.status_code == 201, made.content
    away = client.post(CLUSTERS, {"name": "away", "bootstrap": "127.0.0.1:1"}).json()["id"]
    Cluster.objects.filter(pk=away).update(disk_used_share=0.5)
    check_clusters()  # read at once of clusters that answer for the first time
    home, far, gone = (client.get(f"{CLUSTERS}/{pk}").json() for pk in ("home", made.json()["id"], away))
    assert 0 < home["disk_used_share"] < 1
    assert home["certificate_expires_at"] is None
    assert 0 < far["disk_used_share"] < 1
    left = datetime.fromisoformat(far["certificate_expires_at"]) - datetime.now(UTC)
    assert timedelta(days=1, hours=22) < left < timedelta(days=2)
    assert gone["disk_used_share"] == 0.5
    Cluster.objects.filter(pk=made.json()["id"]).update(disk_used_share=0.0)
    check_clusters()
    assert client.get(f"{CLUSTERS}/{made.json()['id']}").json()["disk_used_share"] == 0, "it answered before"
    read_upkeep()
    far, gone = (client.get(f"{CLUSTERS}/{pk}").json() for pk in (made.json()["id"], away))
    assert 0 < far["disk_used_share"] < 1
    assert gone["disk_used_share"] is None, "what isn't known any more isn't told"
