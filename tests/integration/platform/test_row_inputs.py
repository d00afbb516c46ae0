"""What made a row of a result, with its records on a real broker; the row itself is written by the test."""

import json
import time
import uuid
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT, DOCUMENT, running
from tests.support.users import client_of, member
from weir.clusters.services.clients import home_profile
from weir.clusters.services.topics import delete_topics
from weir.lag.models import CurrentLag
from weir.results.models import ResultRow
from weir.results.services.records import key_digest
from weir.runs.models import Generation, Job, Run
from weir.runs.services.versions import add_version, create_job
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
ROOT = "/api/v1/workspaces/ops"
KEY = '["2026-01-01T10:00:00.000000Z","2026-01-01T10:00:05.000000Z","A"]'
TEN_MS = 1_767_261_600_000  # 2026-01-01T10:00:00Z


@pytest.fixture
def job(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    """A job whose window of A has two records of its key; others are of another key, window or form."""
    topic = f"behind.{uuid.uuid4().hex[:8]}"
    made = {"name": "trades", "topic": topic, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(f"{ROOT}/streams", made).status_code == 201
    job = create_job(workspace, owner, DOCUMENT)
    run = running(job)
    stream = workspace.streams.get(name="trades")
    bound = {"stream": "trades", "topic_id": stream.topic_id, "start": {"kind": "earliest"}}
    Generation.objects.filter(job=job).update(sources={"trades": bound})
    payload = {"run_id": run.pk, "counts": {"sources": {}, "steps": {"stats": {"late": 0}}}}
    CurrentLag.objects.using("results").create(job_id=job.pk, at_us=time.time_ns() // 1_000, payload=payload)
    write(broker, topic, ("A", 0), ("A", 4_999), ("A", 5_000), ("B", 1), None)
    newest = time.time_ns() // 1_000 + 60_000_000
    ResultRow.objects.using("results").create(
        job_id=job.pk,
        generation=1,
        digest=key_digest(KEY),
        key=KEY,
        value=json.dumps({"window_start": "2026-01-01T10:00:00.000000Z", "symbol": "A", "n": 2, "low": 1.0}),
        newest_input_us=newest,
        epoch=1,
        partition=0,
        offset=0,
        timestamp_ms=newest // 1_000,
    )
    yield job
    delete_topics(home_profile(), [topic])


def write(broker: KafkaServer, topic: str, *records: tuple[str, int] | None) -> None:
    """Writes records a millisecond apart, so that which is newer does not hang on the machine."""
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    first_ms = time.time_ns() // 1_000_000
    for at, record in enumerate(records):
        value = {"symbol": record[0], "price": 1.0, "at": TEN_MS + record[1]} if record else "no trade"
        producer.produce(topic, json.dumps(value).encode(), partition=at % 2, timestamp=first_ms + at)
    assert producer.flush(20) == 0


def asked(user: User, job: Job, key: str = KEY) -> Any:
    return client_of(user).post(f"{ROOT}/jobs/{job.pk}/row-inputs", {"key": key}, format="json")


def test_a_viewer_finds_the_records_of_the_key_and_the_window(workspace: Workspace, job: Job) -> None:
    answer = asked(member(workspace, "vera", Role.VIEWER), job)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    (source,) = found["sources"]
    assert (found["exact"], found["doubts"], source["total"]) == (True, [], 2)
    assert [one["row"]["at"] for one in source["records"]] == [TEN_MS + 4_999, TEN_MS]
    assert source["bounds"][0]["equal"] == {"symbol": "A"}
    assert (source["read"], source["complete"], source["expired"]) == (5, True, False)


def test_late_rows_that_were_counted_are_a_doubt(job: Job, owner: User) -> None:
    payload = {"run_id": Run.objects.get().pk, "counts": {"steps": {"stats": {"late": 3}}}}
    CurrentLag.objects.using("results").filter(job_id=job.pk).update(payload=payload)
    found = asked(owner, job).json()
    assert (found["known"], found["exact"]) == (True, False)
    assert [doubt["step"] for doubt in found["doubts"]] == ["stats"]


def test_records_before_the_start_of_the_generation_have_no_part(job: Job, owner: User) -> None:
    generation = Generation.objects.get(job=job)
    bound = generation.sources["trades"] | {"start": {"kind": "offsets", "offsets": {"0": 1, "1": 0}}}
    Generation.objects.filter(job=job).update(sources={"trades": bound})
    (source,) = asked(owner, job).json()["sources"]
    assert [one["row"]["at"] for one in source["records"]] == [TEN_MS + 4_999]


def test_a_topic_that_was_made_anew_is_not_looked_through(job: Job, owner: User) -> None:
    generation = Generation.objects.get(job=job)
    Generation.objects.filter(job=job).update(
        sources={"trades": generation.sources["trades"] | {"topic_id": "another"}}
    )
    found = asked(owner, job).json()
    assert (found["known"], found["exact"], found["sources"][0]["state"]) == (False, False, "recreated")


def test_of_a_stopped_job_the_version_counts_that_made_the_row(job: Job, owner: User) -> None:
    """The newest one groups by another field, and has not run."""
    Run.objects.filter(generation__job=job).update(observed="stopped")
    add_version(job, owner, DOCUMENT.replace("by: [symbol]", "by: [at]"))
    found = asked(owner, job).json()
    assert (found["version"], found["exact"], found["sources"][0]["total"]) == (1, True, 2)


def test_a_row_that_is_gone_is_not_found(job: Job, owner: User) -> None:
    answer = asked(owner, job, '["nobody"]')
    assert (answer.status_code, answer.json()["code"]) == (404, "ROW_UNKNOWN")
