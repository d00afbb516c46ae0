"""Why a job gives no output, with its topics on a real broker; what engines report is written by the test."""

import json
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT, running
from tests.support.users import client_of
from weir.clusters.services.clients import home_profile
from weir.clusters.services.topics import create_topic, delete_topics
from weir.lag.models import CurrentLag
from weir.runs.models import Engine, Generation, Job, Run
from weir.runs.services.versions import create_job
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
ROOT = "/api/v1/workspaces/ops"
Diagnose = Callable[..., dict[str, Any]]


@pytest.fixture
def topic(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    name = f"diagnosed.{uuid.uuid4().hex[:8]}"
    made = {"name": "trades", "topic": name, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(f"{ROOT}/streams", made).status_code == 201
    yield name
    delete_topics(home_profile(), [name])


@pytest.fixture
def diagnosed(topic: str, workspace: Workspace, owner: User) -> Diagnose:
    """The cause for a running job of these steps; `reached` is the position of the run in each partition."""

    def diagnose(steps: dict[str, Any], *, start: dict[str, Any] | None = None, **reported: Any) -> Any:
        job = started(workspace, owner, steps, start or {"kind": "earliest"}, reported)
        answer = client_of(owner).get(f"{ROOT}/jobs/{job.pk}/diagnosis")
        assert answer.status_code == 200, answer.content
        return answer.json()

    return diagnose


def started(
    workspace: Workspace, owner: User, steps: dict[str, Any], start: dict[str, Any], reported: dict[str, Any]
) -> Job:
    document = {
        "format": 1,
        "name": f"j{uuid.uuid4().hex[:6]}",
        "sources": {"trades": {"stream": "trades"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    job = create_job(workspace, owner, json.dumps(document))
    run = running(job)
    stream = job.workspace.streams.get(name="trades")
    bound = {"stream": "trades", "topic_id": stream.topic_id, "start": start}
    Generation.objects.filter(job=job).update(sources={"trades": bound})
    Run.objects.filter(pk=run.pk).update(last_seen_at=timezone.now())
    Engine.objects.filter(pk=run.engine_id).update(ready=True, last_seen_at=timezone.now())
    counts = {"batches": 1, "rows_in": 0, "rows_out": 0, "late": 0, "expression_nulls": 0, "sources": {}}
    cells = [{"partition": at, "committed": reported.get("reached", 0), "fetched": None} for at in range(2)]
    payload = {
        "run_id": run.pk,
        "counts": counts | reported.get("counts", {}),
        "sources": {"trades": {"partitions": cells}},
        "watermark_us": reported.get("watermark_us"),
        "rows_per_second": 1.0,
    }
    CurrentLag.objects.using("results").create(job_id=job.pk, at_us=time.time_ns() // 1_000, payload=payload)
    return job


def write(producer: Any, topic: str, *values: Any, ago_s: float = 0) -> None:
    at = int((time.time() - ago_s) * 1_000)
    for number, value in enumerate(values):
        body = value if isinstance(value, bytes) else json.dumps({"at": at, **value}).encode()
        producer.produce(topic, body, partition=number % 2, timestamp=at)
    producer.flush()


CHEAP = {"cheap": {"op": "filter", "input": "trades", "where": "price < 0"}}
TRADES = [{"symbol": "S1", "price": 3.5}, {"symbol": "S2", "price": 7.0}, {"symbol": "S1", "price": 1.0}]


def test_a_topic_without_records(diagnosed: Diagnose) -> None:
    assert diagnosed(CHEAP)["cause"]["code"] == "TOPIC_EMPTY"


def test_a_topic_that_was_deleted_and_one_that_was_made_anew(diagnosed: Diagnose, topic: str) -> None:
    delete_topics(home_profile(), [topic])
    assert diagnosed(CHEAP)["cause"]["code"] == "TOPIC_DELETED"
    create_topic(home_profile(), topic, 2, {})
    assert diagnosed(CHEAP)["cause"]["code"] == "TOPIC_RECREATED"


def test_a_start_behind_the_newest_record(diagnosed: Diagnose, topic: str, producer: Any) -> None:
    write(producer, topic, *TRADES)
    found = diagnosed(CHEAP, start={"kind": "offsets", "offsets": {"0": 2, "1": 1}})["cause"]
    assert found["code"] == "START_AFTER_NEWEST"
    assert {"label": "Records before the start", "kind": "count", "value": 3} in found["facts"]


def test_records_that_are_all_malformed(diagnosed: Diagnose, topic: str, producer: Any) -> None:
    write(producer, topic, b"{", b"no json", b"[]")
    found = diagnosed(CHEAP)["cause"]
    assert (found["code"], found["place"]) == ("ALL_MALFORMED", {"kind": "source", "name": "trades"})


def test_a_filter_that_lets_nothing_through(diagnosed: Diagnose, topic: str, producer: Any) -> None:
    write(producer, topic, *TRADES)
    found = diagnosed(CHEAP, reached=2)
    assert (found["cause"]["code"], found["cause"]["place"]["name"]) == ("FILTER_PASSES_NONE", "cheap")
    seen = next(fact for fact in found["cause"]["facts"] if fact["label"] == "Values of price")
    assert "3.5 (1)" in seen["value"]
    assert [check["status"] for check in found["checks"]] == ["ok", "ok", "cause", "not_checked"]


def test_a_window_that_is_open_and_a_source_that_is_silent(
    diagnosed: Diagnose, topic: str, producer: Any
) -> None:
    window = {
        "n": {
            "op": "aggregate",
            "input": "trades",
            "window": {"tumbling": {"size": "1d"}},
            "measures": {"n": "count()"},
            "emit": "final",
        }
    }
    write(producer, topic, *TRADES, ago_s=600)
    assert diagnosed(window, reached=2)["cause"]["code"] == "WATERMARK_STANDS"
    write(producer, topic, *TRADES)
    found = diagnosed(window, reached=4)["cause"]
    assert (found["code"], found["waits"]) == ("WINDOW_OPEN", True)
    assert any(fact["label"] == "Closes when event time reaches" for fact in found["facts"])


def test_a_cluster_that_does_not_answer(
    diagnosed: Diagnose, broker: KafkaServer, settings: Any, producer: Any
) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS = "127.0.0.1:1"
    try:
        assert diagnosed(CHEAP)["cause"]["code"] == "CLUSTER_UNREACHABLE"
    finally:
        settings.KAFKA_BOOTSTRAP_SERVERS = broker.bootstrap
