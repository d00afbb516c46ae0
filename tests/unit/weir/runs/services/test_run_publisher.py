"""What engines are told of a run."""

from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from jobs.kafka_messages import RUNS_TOPIC, SCHEMAS_TOPIC
from tests.support.quiet_topics import quiet_topics
from tests.support.run_factories import DOCUMENT, job_of, running
from tests.support.users import client_of
from weir.runs.models import Desired
from weir.runs.services import run_publisher, start
from weir.runs.services.run_publisher import SYSTEM_TOPICS, desired_run, ensure_system_topics
from weir.runs.services.versions import add_version
from weir.schemas.models import Schema
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.mark.parametrize(
    ("written", "records"),
    [
        ("{}", None),
        ("{rate_limit: 1500}", 1_500),
        ("{rate_limit: 1500, trigger: 10s}", 15_000),
        ("{rate_limit: 1500, trigger: 100ms}", 150),
        ("{rate_limit: 10, trigger: 150ms}", 1),
    ],
)
def test_a_batch_reads_what_the_rate_limit_allows_in_a_trigger_interval(
    workspace: Workspace, owner: User, written: str, records: int | None
) -> None:
    run = running(job_of(workspace, owner, f"{DOCUMENT}settings: {written}\n"))
    assert desired_run(run).max_rows_per_batch == records


def test_an_engine_is_told_the_slots_that_the_run_was_placed_by(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    run.slots = 5
    assert desired_run(run).slots == 5


def test_a_run_that_waits_for_its_old_epoch_to_stop_is_published_as_wanted(
    workspace: Workspace, owner: User
) -> None:
    run = running(job_of(workspace, owner))
    told = desired_run(run)
    assert (told.state, told.desired) == ("running", "running")
    run.awaiting_stop = True
    told = desired_run(run)
    assert (told.state, told.desired) == ("stopped", "running")
    run.desired = Desired.DELETED
    assert desired_run(run).desired == "stopped"


def test_people_see_the_rate_limit_of_the_run(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is that of the version that was started."""
    monkeypatch.setattr(start, "confirm_topics", list)
    quiet_topics(monkeypatch)
    job = job_of(workspace, owner, f"{DOCUMENT}settings: {{rate_limit: 1500}}\n")
    path, client = f"/api/v1/workspaces/ops/jobs/{job.id}", client_of(owner)
    assert client.get(path).json()["rate_limit"] is None
    assert client.post(f"{path}/start", {"from": "earliest"}).status_code < 300
    found = client.get(path).json()
    assert (found["rate_limit"], found["mode"]["mode"]) == (1_500, "microbatch")
    add_version(job, owner, DOCUMENT)
    assert client.post(f"{path}/start", {"from": "resume"}).status_code < 300
    assert client.get(path).json()["rate_limit"] is None


def test_a_topic_of_schemas_whose_creation_was_not_answered_gets_all_schemas(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next tick finds it, and would take it for the one that has them."""
    Schema.objects.create(workspace=workspace, schema_id=1, guid=uuid4(), kind="AVRO", published=True)
    there = {name: SimpleNamespace(topic_id=f"id of {name}") for name in SYSTEM_TOPICS}
    del there[SCHEMAS_TOPIC]

    def create(profile: object, name: str, *_: object) -> Any:
        there[name] = SimpleNamespace(topic_id="new")
        raise UnreachableError("BROKER_UNREACHABLE", "No answer in time.")

    monkeypatch.setattr(run_publisher, "describe_topics", lambda *_: dict(there))
    monkeypatch.setattr(run_publisher, "create_topic", create)
    with pytest.raises(UnreachableError):
        ensure_system_topics()
    assert ensure_system_topics() == f"id of {RUNS_TOPIC}"
    assert not Schema.objects.get().published
