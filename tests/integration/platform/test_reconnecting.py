"""A cluster's password changes while jobs run: each is resumed with it.

One that can't be runs on unchanged.
"""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from jobs.connections import ClusterProfile, PasswordDecryptor
from jobs.kafka_messages import BoundSource
from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT, DOCUMENT, heartbeat, state_report
from tests.support.secured_kafka import SecuredKafka
from tests.support.users import client_of
from weir.clusters.models import Cluster
from weir.clusters.services.checks import check_all
from weir.clusters.services.clients import admin
from weir.runs import tasks
from weir.runs.models import Engine, Generation, Run
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import Event, User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
BASE = "/api/v1/workspaces/ops/"
Start = Callable[[str], str]


@pytest.fixture
def user(secured: SecuredKafka, settings: Settings, tmp_path: Path) -> str:
    """A user of the second cluster whose password is `first`."""
    settings.ENCRYPTION_KEY_FILE = tmp_path / "secrets" / "encryption.keys"
    name = f"u{uuid.uuid4().hex[:6]}"
    secured.set_password(name, "first")
    return name


@pytest.fixture
def job(
    secured: SecuredKafka, broker: KafkaServer, workspace: Workspace, owner: User, user: str, start_run: Start
) -> dict[str, Any]:
    """A job that runs from the second cluster, as an engine has echoed it."""
    client = client_of(owner)
    cluster = client.post(f"{BASE}clusters", {"name": "Trading", **secured.scram(user, "first")}).json()["id"]
    stream = {
        "name": "trades",
        "cluster": cluster,
        "topic": f"trades.{user}",
        "create": {"partitions": 2},
        "contract": CONTRACT,
    }
    made = client.post(f"{BASE}streams", stream)
    assert made.status_code == 201, made.content
    created = client.post(f"{BASE}jobs", {"document": DOCUMENT})
    assert created.status_code == 201, created.content
    found = dict(created.json())
    started = client.post(f"{BASE}jobs/{found['id']}/start", {"from": "earliest"})
    assert started.status_code == 202, started.content
    start_run(found["id"])
    run = Run.objects.get()
    Engine.objects.filter(pk=run.engine_id).update(state=Engine.State.READY, incarnation="inc-1")
    apply_report(heartbeat(Engine.objects.get(pk=run.engine_id)))
    apply_report(state_report(run, "running"))
    return found


def change(owner: User, body: dict[str, str]) -> None:
    """Through the API, and what a worker does then."""
    cluster = Cluster.objects.exclude(pk="home").get()
    answer = client_of(owner).put(f"{BASE}clusters/{cluster.pk}", {"name": "Trading", **body})
    assert answer.status_code == 200, answer.content
    tasks.reconnect(cluster.pk, owner.pk)


def engine_connection() -> ClusterProfile:
    """The connection that the job's engine is given."""
    return BoundSource.model_validate(Generation.objects.get().sources["trades"]).cluster


def test_it_is_stopped_and_goes_on_with_the_new_password(
    secured: SecuredKafka, job: dict[str, Any], owner: User, user: str, settings: Settings
) -> None:
    old = engine_connection()
    secured.set_password(user, "second")
    change(owner, secured.scram(user, "second"))
    run = Run.objects.get()
    assert (desired_run(run).state, run.epoch, run.awaiting_stop) == ("stopped", 1, True)
    assert PasswordDecryptor(settings.ENCRYPTION_KEY_FILE).password(engine_connection()) == "second"
    tasks.roll_out_connections()
    assert Run.objects.get().revision == run.revision, "what was done is not done again"
    apply_report(state_report(run, "stopped"))
    run = Run.objects.get()
    desired = desired_run(run)
    assert (desired.state, desired.epoch, desired.generation, desired.sources["trades"].cluster) == (
        "running",
        2,
        1,
        engine_connection(),
    )
    ended = client_of(owner).get(f"{BASE}jobs/{job['id']}/runs").json()["results"]
    assert "Restarted." in [row["end_reason"] for row in ended]
    # The old one opens nothing any more, and the platform keeps no client that goes on trying it.
    with pytest.raises(UnreachableError):
        admin(old)
    assert admin(engine_connection()) is admin(engine_connection())


@pytest.mark.thorough
def test_a_mistyped_password_costs_the_job_nothing(
    secured: SecuredKafka, job: dict[str, Any], owner: User, user: str
) -> None:
    old = engine_connection()
    change(owner, secured.scram(user, "secnod"))
    run = Run.objects.get()
    assert (desired_run(run).state, run.epoch, engine_connection()) == ("running", 1, old)
    said = Event.objects.filter(subject=job["id"], text__contains="still uses the old connection of Trading")
    assert said.count() == 1
    tasks.roll_out_connections()  # it does not answer, so nobody is asked
    assert said.count() == 1

    secured.set_password(user, "second")
    change(owner, secured.scram(user, "second"))
    assert (desired_run(Run.objects.get()).state, Run.objects.get().awaiting_stop) == ("stopped", True)


@pytest.mark.long
def test_what_a_lost_command_left_is_made_up_for(
    secured: SecuredKafka, job: dict[str, Any], owner: User, user: str
) -> None:
    """The worker was away, and meanwhile the job failed for its old password."""
    run = Run.objects.get()
    apply_report(state_report(run, "failed"))
    Run.objects.update(retry_at=None)
    secured.set_password(user, "second")
    cluster = Cluster.objects.exclude(pk="home").get()
    body = {"name": "Trading", **secured.scram(user, "second")}
    assert client_of(owner).put(f"{BASE}clusters/{cluster.pk}", body).status_code == 200
    check_all()
    tasks.roll_out_connections()
    assert (desired_run(Run.objects.get()).state, Run.objects.get().epoch) == ("running", 2)


@pytest.mark.long
def test_a_newer_version_is_not_taken_up(
    secured: SecuredKafka, job: dict[str, Any], owner: User, user: str
) -> None:
    edited = client_of(owner).post(
        f"{BASE}jobs/{job['id']}/versions", {"document": DOCUMENT.replace("min(price)", "max(price)")}
    )
    assert edited.status_code == 201, edited.content
    change(owner, secured.scram(user, "first", mechanism="SCRAM-SHA-256"))
    run = Run.objects.get()
    assert (run.version, run.awaiting_stop) == (1, True)
