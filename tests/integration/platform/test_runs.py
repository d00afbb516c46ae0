"""A job's life on a real broker: what is published, from where it reads, what is left when it is deleted."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import DesiredRun
from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT, DOCUMENT, heartbeat, state_report
from tests.support.users import client_of
from weir.clusters.services.clients import admin, consumer, home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topic_settings import read_settings
from weir.clusters.services.topics import delete_topics, describe_topics
from weir.runs import tasks
from weir.runs.models import Engine, Generation, Job, Run
from weir.runs.services.reconciler import reconcile
from weir.runs.services.report_handlers import apply_report
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
BASE = "/api/v1/workspaces/ops/"
Start = Callable[[str], str]


def published(run_id: str) -> list[DesiredRun | None]:
    """What stands in weir.runs under this id, oldest first; None is a tombstone."""
    (low, high) = watermarks(home_profile(), {"weir.runs": 1})["weir.runs", 0]
    client = consumer(home_profile())
    client.assign([TopicPartition("weir.runs", 0, low)])
    found: list[DesiredRun | None] = []
    while low < high:
        message = client.poll(10)
        assert message is not None, "weir.runs could not be read"
        if message.error() is not None:
            break
        low = (message.offset() or 0) + 1
        if message.key() == run_id.encode():
            value: Any = message.value()
            found.append(DesiredRun.model_validate_json(value) if value is not None else None)
    client.close()
    return found


def trade(at_ms: int, symbol: str = "A") -> bytes:
    return json.dumps({"symbol": symbol, "price": 1.5, "at": at_ms}).encode()


@pytest.fixture
def job(broker: KafkaServer, workspace: Workspace, owner: User) -> dict[str, Any]:
    client = client_of(owner)
    delete_topics(home_profile(), ["trades"])
    stream = {
        "name": "trades",
        "topic": "trades",
        "create": {"partitions": 2, "retention_ms": None},
        "contract": CONTRACT,
    }
    made = client.post(BASE + "streams", stream)
    assert made.status_code == 201, made.content
    answer = client.post(BASE + "jobs", {"document": DOCUMENT})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def test_now_means_the_ends_at_the_click(
    job: dict[str, Any], owner: User, producer: Any, start_run: Start
) -> None:
    for at in (1_000_000, 5_000_000, 3_000_000):
        producer.produce("trades", trade(at), partition=0)
    producer.produce("trades", b"not json", partition=1)
    producer.flush()
    answer = client_of(owner).post(f"{BASE}jobs/{job['id']}/start", {"from": "now"})
    assert (answer.status_code, answer.json()["desired"], answer.json()["observed"]) == (
        202,
        "running",
        "starting",
    )
    producer.produce("trades", trade(9_000_000), partition=0)
    producer.flush()
    (run,) = published(start_run(job["id"]))
    assert run is not None
    assert run.sources["trades"].start.offsets == {0: 3, 1: 1}
    assert run.partial_before_us == 5_000_000_001
    assert (run.state, run.epoch, run.mode, run.engine_id) == ("running", 1, "realtime", "shared-1")
    assert run.sources["trades"].topic_id == describe_topics(home_profile(), ["trades"])["trades"].topic_id
    assert run.result_topic in describe_topics(home_profile(), [run.result_topic])


def test_earliest_on_an_empty_topic_has_no_partial_windows(
    job: dict[str, Any], owner: User, start_run: Start
) -> None:
    client_of(owner).post(f"{BASE}jobs/{job['id']}/start", {"from": "earliest"})
    (run,) = published(start_run(job["id"]))
    assert run is not None
    assert (run.sources["trades"].start.kind, run.partial_before_us) == ("earliest", None)


def test_from_a_time_without_newer_records_begins_at_the_end(
    job: dict[str, Any], owner: User, producer: Any, start_run: Start
) -> None:
    now = datetime.now(UTC)
    for minutes in (9, 1):
        producer.produce(
            "trades",
            trade(1),
            partition=0,
            timestamp=int((now - timedelta(minutes=minutes)).timestamp() * 1000),
        )
    producer.flush()
    client_of(owner).post(
        f"{BASE}jobs/{job['id']}/start", {"from": "time", "time": (now - timedelta(minutes=5)).isoformat()}
    )
    (run,) = published(start_run(job["id"]))
    assert run is not None
    assert run.sources["trades"].start.offsets == {0: 1, 1: 0}


def test_starting_twice_is_starting_once(job: dict[str, Any], owner: User) -> None:
    client = client_of(owner)
    for _ in range(3):
        assert client.post(f"{BASE}jobs/{job['id']}/start", {"from": "now"}).status_code == 202
    assert Generation.objects.count() == 1


def test_stop_resume_and_a_fresh_start(job: dict[str, Any], owner: User, start_run: Start) -> None:
    client, path = client_of(owner), f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    run_id = start_run(job["id"])
    apply_report(state_report(Run.objects.get(), "running"))
    assert client.post(f"{path}/stop").status_code == 202
    assert client.post(f"{path}/stop").json()["desired"] == "stopped"
    tasks.publish_desired(run_id)
    apply_report(state_report(Run.objects.get(), "stopped"))
    assert client.get(path).json()["observed"] == "stopped"
    assert client.post(f"{path}/start", {"from": "resume"}).json()["generation"] == 1
    start_run(job["id"])
    assert [(run.state, run.epoch) for run in published(run_id) if run] == [
        ("running", 1),
        ("stopped", 1),
        ("running", 2),
    ]
    client.post(f"{path}/stop")
    apply_report(state_report(Run.objects.get(), "stopped"))
    assert client.post(f"{path}/start", {"from": "earliest"}).json()["generation"] == 2
    assert len(client.get(f"{path}/runs").json()["results"]) == 3


def test_an_edit_of_the_state_cannot_be_resumed(job: dict[str, Any], owner: User, start_run: Start) -> None:
    client, path = client_of(owner), f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    start_run(job["id"])
    client.post(f"{path}/versions", {"document": DOCUMENT.replace("size: 5s", "size: 10s")})
    answer = client.post(f"{path}/start", {"from": "resume"})
    assert (answer.status_code, answer.json()["code"]) == (409, "NEW_GENERATION_NEEDED")
    assert client.post(f"{path}/start", {"from": "now"}).json()["generation"] == 2
    old = Run.objects.get(generation__number=1)
    assert old.desired == "stopped"


def test_an_edit_of_measures_is_resumed(job: dict[str, Any], owner: User, start_run: Start) -> None:
    client, path = client_of(owner), f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    run_id = start_run(job["id"])
    apply_report(state_report(Run.objects.get(), "running"))
    more = DOCUMENT.replace("measures: {", "measures: {more: max(price), ")
    assert more != DOCUMENT
    client.post(f"{path}/versions", {"document": more, "expected": "same_state"})
    assert "more starts empty" in client.get(f"{path}/start").json()["note"]
    client.post(f"{path}/stop")
    tasks.publish_desired(run_id)
    apply_report(state_report(Run.objects.get(), "stopped"))
    answer = client.post(f"{path}/start", {"from": "resume"})
    assert (answer.status_code, answer.json()["generation"]) == (202, 1)
    start_run(job["id"])
    *_, resumed = published(run_id)
    assert resumed is not None
    (step,) = resumed.document["steps"].values()
    assert (resumed.epoch, resumed.checkpoint) == (2, Generation.objects.get().checkpoint)
    assert next(iter(step["measures"])) == "more"
    assert client.get(f"{path}/start").json()["note"] == ""


def test_a_resumed_job_keeps_results_as_long_as_its_version_says(
    job: dict[str, Any], owner: User, start_run: Start
) -> None:
    client, path = client_of(owner), f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    run_id = start_run(job["id"])
    apply_report(state_report(Run.objects.get(), "running"))
    topic = Generation.objects.get().result_topic
    assert read_settings(home_profile(), topic).retention_ms == 7 * 86_400_000
    longer = {"document": DOCUMENT + "settings: {retention: 30d}\n", "expected": "same_state"}
    assert client.post(f"{path}/versions", longer).status_code == 201
    client.post(f"{path}/stop")
    tasks.publish_desired(run_id)
    apply_report(state_report(Run.objects.get(), "stopped"))
    assert client.post(f"{path}/start", {"from": "resume"}).status_code == 202
    start_run(job["id"])
    assert read_settings(home_profile(), topic).retention_ms == 30 * 86_400_000
    found = Generation.objects.get()
    assert (found.retention_ms, found.topic_retention_ms) == (30 * 86_400_000, None)


def test_a_topic_made_anew_cannot_be_resumed(
    job: dict[str, Any], owner: User, broker: KafkaServer, start_run: Start
) -> None:
    client, path = client_of(owner), f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    start_run(job["id"])
    client.post(f"{path}/stop")
    apply_report(state_report(Run.objects.get(), "stopped"))
    delete_topics(home_profile(), ["trades"])
    gone = client.post(f"{path}/start", {"from": "resume"})
    assert (gone.status_code, gone.json()["code"]) == (404, "TOPIC_NOT_FOUND")
    broker.create_topic("trades", 2)
    answer = client.post(f"{path}/start", {"from": "resume"})
    assert (answer.status_code, answer.json()["code"]) == (409, "TOPIC_RECREATED")
    assert client.post(f"{path}/start", {"from": "earliest"}).status_code == 202


def test_deleting_leaves_nothing(
    job: dict[str, Any], owner: User, settings: Settings, tmp_path: Path, start_run: Start
) -> None:
    settings.CHECKPOINT_URL = tmp_path.as_uri()
    client, path = client_of(owner), f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    run_id = start_run(job["id"])
    apply_report(state_report(Run.objects.get(), "running"))
    checkpoint = tmp_path / "ops" / job["id"] / run_id.removeprefix(f"{job['id']}.")
    checkpoint.mkdir(parents=True)
    assert Generation.objects.get().checkpoint == checkpoint.as_uri()
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404
    tasks.finish_deletion(job["id"])
    assert Job.objects.exists(), "its run is still live"
    apply_report(state_report(Run.objects.get(), "stopped"))
    tasks.finish_deletion(job["id"])
    assert not Job.objects.exists()
    assert not checkpoint.exists()
    assert published(run_id)[-1] is None
    assert not [name for name in admin(home_profile()).list_topics(timeout=10).topics if job["id"] in name]
    assert client.post(BASE + "jobs", {"document": DOCUMENT}).status_code == 201
    assert client.delete(BASE + "streams/trades").json()["code"] == "IN_USE"


def test_a_job_with_an_exchange_has_a_topic_for_it(
    job: dict[str, Any], owner: User, start_run: Start
) -> None:
    client = client_of(owner)
    document = DOCUMENT.replace("name: stats", "name: cut").replace(
        "by: [symbol]", "by: [symbol]\n    emit: final"
    )
    latest = "  last: {op: latest, input: stats, by: [symbol]}\noutputs:"
    answer = client.post(
        BASE + "jobs",
        {"document": document.replace("outputs:", latest).replace("input: stats, to", "input: last, to")},
    )
    assert answer.status_code == 201, answer.content
    job = answer.json()
    path = f"{BASE}jobs/{job['id']}"
    client.post(f"{path}/start", {"from": "now"})
    run_id = start_run(job["id"])
    (run,) = published(run_id)
    assert run is not None
    assert run.exchange is not None
    assert run.exchange.topic == f"weir.exchange.{run_id}"
    info = describe_topics(home_profile(), [run.exchange.topic])[run.exchange.topic]
    assert (info.topic_id, info.partitions) == (run.exchange.topic_id, 1)
    apply_report(state_report(Run.objects.get(pk=run_id), "running"))
    assert client.delete(path).status_code == 204
    apply_report(state_report(Run.objects.get(pk=run_id), "stopped"))
    tasks.finish_deletion(run.job_id)
    assert not Job.objects.filter(pk=run.job_id).exists()
    assert not [name for name in admin(home_profile()).list_topics(timeout=10).topics if run.job_id in name]


def test_what_is_not_echoed_is_said_again(job: dict[str, Any], owner: User, start_run: Start) -> None:
    client_of(owner).post(f"{BASE}jobs/{job['id']}/start", {"from": "now"})
    run_id = start_run(job["id"])
    Engine.objects.update(state="ready", incarnation="inc-1")
    Run.objects.update(published_at="2020-01-01T00:00:00Z")
    apply_report(heartbeat(Engine.objects.get()))
    now = timezone.now()  # of both ticks, however long it takes to read what was published
    reconcile(now)
    assert len(published(run_id)) == 2
    reconcile(now)
    assert len(published(run_id)) == 2, "it waits for the echo before it says it a third time"


def test_a_deleted_weir_runs_is_written_again(job: dict[str, Any], owner: User, start_run: Start) -> None:
    client_of(owner).post(f"{BASE}jobs/{job['id']}/start", {"from": "now"})
    run_id = start_run(job["id"])
    reconcile()
    delete_topics(home_profile(), ["weir.runs"])
    reconcile()
    (run,) = published(run_id)
    assert run is not None
    assert run.state == "running"


def test_a_start_that_never_reached_a_worker_is_made_up_for(
    job: dict[str, Any], owner: User, start_run: Start
) -> None:
    client_of(owner).post(f"{BASE}jobs/{job['id']}/start", {"from": "now"})
    run = Run.objects.get()
    assert published(run.pk) == []
    assert run.published_at is None
    start_run(job["id"])  # the reconciler hands it on; here is its worker
    assert len(published(run.pk)) == 1
