"""A cluster's password: kept for the connection that it was given for and for no other;
encrypted again with a new key.
"""

import fcntl
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from jobs.connections import ClusterProfile, PasswordDecryptor, password_context
from jobs.encryption import DecryptionError, key_of, read_keys
from jobs.kafka_messages import BoundSource
from tests.support.run_factories import job_of, running, trades
from tests.support.users import client_of
from weir.clusters.api import views
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.connection_test import ConnectionTest
from weir.runs.models import Observed, Run
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
CLUSTERS = "/api/v1/workspaces/ops/clusters"
PASSWORD = "planted-password"
GIVEN = {
    "bootstrap": "203.0.113.7:9093",
    "security": "SASL_SSL",
    "mechanism": "SCRAM-SHA-512",
    "username": "ann",
    "ca": "",
}
OWN_CA = """\
-----BEGIN CERTIFICATE-----
MIIBJTCBzKADAgECAgEBMAoGCCqGSM49BAMCMBExDzANBgNVBAMMBk93biBDQTAg
Fw0yNjAxMDEwMDAwMDBaGA8yMTI2MDEwMTAwMDAwMFowETEPMA0GA1UEAwwGT3du
IENBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcsf/UeEnF7UXkvIxqpaou5MO
oqiuwlFsdZISPC0LwZ6IUvP6//UxaGricaP3yP/5XaZazOFflFCR2l2S0wi65aMT
MBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBodunm/cEylQnd
j3ye/eWnExYa8ts89nerLW7f9UYsEQIhANS+WhH0UzMtk0qC2HdWg6bv1ZDZoJAf
3HvyZehBKdBX
-----END CERTIFICATE-----
"""
ELSEWHERE: list[dict[str, str]] = [
    {"bootstrap": "203.0.113.8:9093"},
    {"bootstrap": "203.0.113.7:9093,203.0.113.8:9093"},
    {"mechanism": "PLAIN"},
    {"ca": OWN_CA},
    {"username": "bob"},
    {"security": "SASL_PLAINTEXT"},
    {"bootstrap": "203.0.113.8:9093", "mechanism": "PLAIN", "ca": OWN_CA},
]


@pytest.fixture(autouse=True)
def key_file(settings: Settings, tmp_path: Path) -> Path:
    settings.ENCRYPTION_KEY_FILE = tmp_path / "secrets" / "encryption.keys"
    return settings.ENCRYPTION_KEY_FILE


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> list[ClusterProfile]:
    """Connections that were tested, without connecting to them."""
    found: list[ClusterProfile] = []

    def note(profile: ClusterProfile) -> ConnectionTest:
        found.append(profile)
        return ConnectionTest()

    monkeypatch.setattr(views, "test_connection", note)
    return found


@pytest.fixture
def cluster(workspace: Workspace, owner: User) -> Cluster:
    made = client_of(owner).post(CLUSTERS, {"name": "Trading", **GIVEN, "password": PASSWORD})
    assert made.status_code == 201, made.content
    return Cluster.objects.get(pk=made.json()["id"])


@pytest.mark.parametrize("other", ELSEWHERE, ids=lambda other: "+".join(other))
def test_it_goes_to_no_other_connection(
    cluster: Cluster, owner: User, tested: list[ClusterProfile], other: dict[str, str]
) -> None:
    client = client_of(owner)
    for answer in (
        client.post(f"{CLUSTERS}/test", {**GIVEN, **other, "cluster": cluster.pk}),
        client.put(f"{CLUSTERS}/{cluster.pk}", {"name": "Trading", **GIVEN, **other}),
        client.put(f"{CLUSTERS}/{cluster.pk}", {"name": "Trading", **GIVEN, **other, "password": None}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "CLUSTER_INVALID")
        (problem,) = answer.json()["problems"]
        assert (problem["path"], problem["code"]) == (["password"], "PARAMETER_MISSING")
        assert "changed" in problem["message"]
    assert tested == []
    kept = Cluster.objects.get(pk=cluster.pk)
    assert (profile_of(kept), kept.password) == (profile_of(cluster), cluster.password)


@pytest.mark.parametrize(
    "other", [one for one in ELSEWHERE if "security" not in one], ids=lambda other: "+".join(other)
)
def test_given_anew_it_goes_there(
    cluster: Cluster, owner: User, tested: list[ClusterProfile], key_file: Path, other: dict[str, str]
) -> None:
    body = {"name": "Trading", **GIVEN, **other, "password": "second"}
    connection = {name: value for name, value in body.items() if name != "name"}
    assert client_of(owner).post(f"{CLUSTERS}/test", {**connection, "cluster": cluster.pk}).status_code == 200
    assert client_of(owner).put(f"{CLUSTERS}/{cluster.pk}", body).status_code == 200
    for profile in (tested[0], profile_of(Cluster.objects.get(pk=cluster.pk))):
        assert PasswordDecryptor(key_file).password(profile) == "second"


def test_the_same_connection_keeps_it(cluster: Cluster, owner: User, tested: list[ClusterProfile]) -> None:
    assert (
        client_of(owner).put(f"{CLUSTERS}/{cluster.pk}", {"name": "Trading floor", **GIVEN}).status_code
        == 200
    )
    assert client_of(owner).post(f"{CLUSTERS}/test", {**GIVEN, "cluster": cluster.pk}).status_code == 200
    assert Cluster.objects.get(pk=cluster.pk).password == cluster.password == tested[0].password


def test_without_a_user_it_is_forgotten(cluster: Cluster, owner: User) -> None:
    body = {"name": "Trading", "bootstrap": GIVEN["bootstrap"], "security": "SSL"}
    assert client_of(owner).put(f"{CLUSTERS}/{cluster.pk}", body).status_code == 200
    row = Cluster.objects.get(pk=cluster.pk)
    assert (row.password, row.password_set_at) == ("", None)
    again = client_of(owner).put(f"{CLUSTERS}/{cluster.pk}", {"name": "Trading", **GIVEN})
    assert (again.status_code, again.json()["code"]) == (422, "CLUSTER_INVALID")


def rotated(*arguments: str) -> str:
    out = StringIO()
    call_command("rotate_keys", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def run(workspace: Workspace, owner: User, cluster: Cluster) -> Run:
    """A run that was given the cluster's connection of now."""
    stream = trades(workspace)
    stream.cluster = cluster
    stream.save()
    found = running(job_of(workspace, owner))
    give(found, cluster, stream.stream_contract.as_json())
    return found


def give(run: Run, cluster: Cluster, contract: Any) -> None:
    bound = {
        "stream": "trades",
        "cluster": profile_of(cluster).model_dump(mode="json"),
        "topic": "trades",
        "topic_id": "id-1",
    }
    bound |= {"partitions": 2, "contract": contract, "start": {"kind": "earliest"}}
    BoundSource.model_validate(bound)
    run.generation.sources = {"trades": bound}
    run.generation.save()


def test_keys_are_rotated(run: Run, cluster: Cluster, key_file: Path) -> None:
    old = read_keys(key_file)
    assert "newest key: 1 (Trading)" in rotated()
    ring, row = read_keys(key_file), Cluster.objects.get(pk=cluster.pk)
    assert len(ring.keys) == 2
    assert key_of(row.password) == ring.keys[0][0] != old.keys[0][0]
    assert PasswordDecryptor(key_file).password(profile_of(row)) == PASSWORD
    assert row.password_set_at == cluster.password_set_at  # it is the same password
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert "newest key: 0." in rotated("--rotate-only")
    # A run was given an envelope of the older key: it may start again by it, until it
    # goes on with the new one.
    with pytest.raises(CommandError, match="the run of"):
        rotated("--drop-old")
    give(run, row, run.generation.sources["trades"]["contract"])
    assert "removed: 1." in rotated("--drop-old")
    assert read_keys(key_file).keys == ring.keys[:1]
    assert PasswordDecryptor(key_file).password(profile_of(row)) == PASSWORD
    with pytest.raises(DecryptionError, match="isn't in the key file"):
        PasswordDecryptor(key_file).password(profile_of(cluster))


def test_a_stopped_run_needs_no_key(run: Run, key_file: Path) -> None:
    rotated()
    Run.objects.update(desired="stopped", observed=Observed.STOPPED)
    assert "removed: 1." in rotated("--drop-old")


@pytest.mark.parametrize("step", [(), ("--rotate-only",), ("--drop-old",)])
def test_one_rotation_at_a_time(cluster: Cluster, key_file: Path, step: tuple[str, ...]) -> None:
    """The key file that one has read would be written without the key that the other has made meanwhile."""
    before = key_file.read_text()
    with key_file.with_name(f"{key_file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match="Another rotation"):
            rotated(*step)
    assert key_file.read_text() == before


def test_what_does_not_open_stops_the_rotation(cluster: Cluster, key_file: Path) -> None:
    foreign = read_keys(key_file).encrypt("x", password_context("another"))
    Cluster.objects.filter(pk=cluster.pk).update(password=foreign)
    with pytest.raises(CommandError, match=r"password of cluster Trading: .*encrypted for something else"):
        rotated()
    assert Cluster.objects.get(pk=cluster.pk).password == foreign


def test_without_a_key_file_there_is_nothing_to_rotate(workspace: Workspace, key_file: Path) -> None:
    assert "newest key: 0." in rotated()
    assert len(read_keys(key_file).keys) == 1
