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
from weir.results.models import ResultRow
from weir.runs.models import Engine, Generation, Job, Run
from weir.runs.services.versions import create_job
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
ROOT = "/api/v1/workspaces/ops"
OF_SYMBOLS: dict[str, dict[str, Any]] = {
    "stream": {
        "fields": [{"name": "name", "type": "string"}, {"name": "at", "type": "long"}],
        "event_time": {"kind": "field", "field": "at", "unit": "ms"},
        "delay": "2s",
    },
    "table": {
        "kind": "table",
        "key": ["name"],
        "fields": [{"name": "name", "type": "string"}, {"name": "sector", "type": "string"}],
        "event_time": {"kind": "kafka_timestamp"},
    },
}
Diagnose = Callable[..., dict[str, Any]]


@pytest.fixture
def topic(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    name = f"diagnosed.{uuid.uuid4().hex[:8]}"
    made = {"name": "trades", "topic": name, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(f"{ROOT}/streams", made).status_code == 201
    yield name
    delete_topics(home_profile(), [name])


@pytest.fixture
def second(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    """Registers one more stream or table, of symbols, on a topic of its own."""
    topics = []

    def register(kind: str = "stream") -> str:
        name = f"diagnosed.{uuid.uuid4().hex[:8]}"
        made = {"name": "symbols", "topic": name, "create": {"partitions": 1}, "contract": OF_SYMBOLS[kind]}
        answer = client_of(owner).post(f"{ROOT}/streams", made)
        assert answer.status_code == 201, answer.content
        topics.append(name)
        return name

    yield register
    delete_topics(home_profile(), topics)


@pytest.fixture
def diagnosed(topic: str, workspace: Workspace, owner: User) -> Diagnose:
    """The cause for a running job of these steps; `reached` is the position of the run in each partition."""

    def diagnose(
        steps: dict[str, Any],
        *,
        start: dict[str, Any] | None = None,
        asked: dict[str, str] | None = None,
        outputs: dict[str, Any] | None = None,
        **reported: Any,
    ) -> Any:
        job = started(workspace, owner, steps, start or {"kind": "earliest"}, reported, outputs or {})
        answer = client_of(owner).get(f"{ROOT}/jobs/{job.pk}/diagnosis", asked or {})
        assert answer.status_code == 200, answer.content
        return answer.json()

    return diagnose


def started(
    workspace: Workspace,
    owner: User,
    steps: dict[str, Any],
    start: dict[str, Any],
    reported: dict[str, Any],
    outputs: dict[str, Any],
) -> Job:
    document = {
        "format": 1,
        "name": f"j{uuid.uuid4().hex[:6]}",
        "sources": {name: {kind: name} for name, kind in reported.get("sources", SOURCES).items()},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}, **outputs},
    }
    job = create_job(workspace, owner, json.dumps(document))
    run = running(job)
    for number, (newest_input_ms, written_ms) in enumerate(reported.get("results", ())):
        ResultRow.objects.using("results").create(
            job_id=job.pk,
            generation=run.generation.number,
            digest=str(number),
            newest_input_us=newest_input_ms * 1_000,
            timestamp_ms=written_ms,
            epoch=1,
            partition=0,
            offset=number,
        )
    bound = {
        stream.name: {"stream": stream.name, "topic_id": stream.topic_id, "start": start}
        for stream in job.workspace.streams.filter(name__in=document["sources"])
    }
    Generation.objects.filter(job=job).update(sources=bound)
    Run.objects.filter(pk=run.pk).update(last_seen_at=timezone.now())
    Engine.objects.filter(pk=run.engine_id).update(ready=True, last_seen_at=timezone.now())
    counts = {"batches": 1, "rows_in": 0, "rows_out": 0, "late": 0, "expression_nulls": 0, "sources": {}}
    cells = [{"partition": at, "committed": reported.get("reached", 0), "fetched": None} for at in range(2)]
    payload = {
        "run_id": run.pk,
        "counts": counts | reported.get("counts", {}),
        "sources": {name: {"partitions": cells} for name in bound},
        "watermark_us": reported.get("watermark_us"),
        "rows_per_second": 1.0,
        "given": reported.get("per_second", {}),
        "steps": reported.get("states", {}),
    }
    at_us = time.time_ns() // 1_000 - reported.get("ago_s", 0) * 1_000_000
    CurrentLag.objects.using("results").create(job_id=job.pk, at_us=at_us, payload=payload)
    return job


def write(
    producer: Any, topic: str, *values: Any, ago_s: float = 0, key: str = "", partitions: int = 2
) -> None:
    at = int((time.time() - ago_s) * 1_000)
    for number, value in enumerate(values):
        body = value if isinstance(value, bytes) else json.dumps({"at": at, **value}).encode()
        record_key = json.dumps({key: value[key]}).encode() if key else None
        producer.produce(topic, body, record_key, partition=number % partitions, timestamp=at)
    producer.flush()


SOURCES = {"trades": "stream"}
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


MANY = [{"symbol": f"S{number}", "price": 3.5} for number in range(1_200)]
DAILY = {
    "op": "aggregate",
    "input": "cheap",
    "window": {"tumbling": {"size": "1d"}},
    "measures": {"n": "count()"},
    "emit": "final",
}


def test_what_the_run_has_counted_overrules_the_newest_records(
    diagnosed: Diagnose, topic: str, producer: Any
) -> None:
    write(producer, topic, *MANY)
    steps = {**CHEAP, "n": DAILY}
    unknown = diagnosed(steps, reached=600)["cause"]
    assert unknown["code"] == "FILTER_PASSES_NONE"
    assert "The newest 500 of about 1,200 records were looked at." in unknown["text"]
    rare = diagnosed(steps, reached=600, states={"n": {"state_rows": 2}})["cause"]
    assert rare["code"] == "WINDOW_OPEN"
    none = diagnosed(CHEAP, reached=600, counts={"given": {"trades": 1_200, "cheap": 0}})["cause"]
    assert (none["code"], none["basis"]) == ("FILTER_PASSES_NONE", "reported")
    assert {"label": "Rows in, counted", "kind": "count", "value": 1_200} in none["facts"]


def test_one_key_is_looked_for_beyond_the_newest_records(
    diagnosed: Diagnose, topic: str, producer: Any
) -> None:
    write(producer, topic, *MANY)
    steps = {"n": {**DAILY, "input": "trades", "by": ["symbol"]}}
    absent = diagnosed(steps, reached=600, asked={"key": "s77x"})["cause"]
    assert (absent["code"], absent["place"]["name"]) == ("KEY_NOT_SEEN", "trades")
    assert "has 1,200 records, and none has it in symbol." in absent["text"]
    near = diagnosed(steps, reached=600, asked={"key": "s77"})["cause"]
    assert {"label": "A similar key that is there", "kind": "text", "value": "S77"} in near["facts"]
    there = diagnosed(steps, reached=600, asked={"key": "S0"})
    assert there["cause"]["code"] == "WINDOW_OPEN"
    assert there["checks"][1]["text"] == "With the key among the newest 1,200 records: 1."


def test_an_output_to_a_topic_is_asked_about(
    diagnosed: Diagnose, topic: str, producer: Any, owner: User
) -> None:
    write(producer, topic, *TRADES)
    written = f"{topic}.cheap"
    made = {"name": "cheap", "topic": written, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client_of(owner).post(f"{ROOT}/streams", made).status_code == 201
    outputs = {"cheap": {"input": "cheap", "to": {"topic": written}}}
    steps = {**CHEAP, "all": {"op": "filter", "input": "trades", "where": "price > 0"}}
    try:
        found = diagnosed(steps, outputs=outputs, reached=2, asked={"output": "cheap"})
        assert found["cause"]["code"] == "FILTER_PASSES_NONE"
        assert found["outputs"] == [{"name": "out", "topic": None}, {"name": "cheap", "topic": written}]
        rates = {"outputs": outputs, "reached": 2, "asked": {"output": "cheap"}, "per_second": {"cheap": 5.0}}
        assert diagnosed(steps, **rates)["cause"]["code"] == "OUTPUT_FLOWS"
        assert diagnosed(steps, **rates, ago_s=3_600)["cause"]["code"] == "FILTER_PASSES_NONE"
        result = diagnosed(steps, outputs=outputs, reached=2)
        assert (result["output"], result["cause"]["code"]) == ("out", "CAUSE_UNKNOWN")
        job = Job.objects.latest("created_at")
        answer = client_of(owner).get(f"{ROOT}/jobs/{job.pk}/diagnosis", {"output": "none"})
        assert (answer.status_code, answer.json()["code"]) == (422, "OUTPUT_UNKNOWN")
    finally:
        delete_topics(home_profile(), [written])


def test_rows_that_are_written_beside_one_of_a_clock_ahead(
    diagnosed: Diagnose, topic: str, producer: Any
) -> None:
    write(producer, topic, *TRADES)
    now_ms = time.time_ns() // 1_000_000
    steps = {"all": {"op": "filter", "input": "trades", "where": "price > 0"}}
    found = diagnosed(
        steps,
        reached=2,
        per_second={"all": 5.0},
        results=((now_ms + 600_000, now_ms - 300_000), (now_ms, now_ms)),
    )
    assert found["cause"]["code"] == "OUTPUT_FLOWS"
    assert [fact["label"] for fact in found["cause"]["facts"]] == ["Rate", "Rows written"]


LATEST = {
    "op": "aggregate",
    "input": "trades",
    "window": {"tumbling": {"size": "5s"}},
    "measures": {"n": "count()"},
}
NAMED = {"op": "table_join", "input": "trades", "table": "symbols", "on": {"symbol": "name"}, "prefix": "s_"}
MET = {
    "op": "join",
    "left": "trades",
    "right": "symbols",
    "on": {"symbol": "name"},
    "prefix": "s_",
    "between": {"before": "1m", "after": "1m"},
}
BOTH = {"trades": "stream", "symbols": "stream"}
WITH_TABLE = {"trades": "stream", "symbols": "table"}


def test_rows_that_are_all_late(diagnosed: Diagnose, topic: str, producer: Any) -> None:
    behind = int((time.time() - 3_600) * 1_000)
    write(producer, topic, *({**trade, "at": behind} for trade in TRADES))
    now_us = int(time.time() * 1_000_000)
    found = diagnosed({"n": LATEST}, reached=2, counts={"late": 3}, watermark_us=now_us)["cause"]
    assert (found["code"], found["place"]["name"]) == ("ALL_LATE", "n")
    behind_by = next(fact["value"] for fact in found["facts"] if fact["label"] == "Late by (median)")
    assert 3_500 < behind_by < 3_700


def test_a_second_source_that_is_silent(diagnosed: Diagnose, topic: str, second: Any, producer: Any) -> None:
    other = second()
    write(producer, topic, *TRADES)
    write(producer, other, {"name": "S1"}, ago_s=600, partitions=1)
    steps = {
        "met": {**MET, "between": {"before": "1h", "after": "1h"}},
        "n": {**DAILY, "input": "met"},
    }
    found = diagnosed(steps, reached=2, sources=BOTH)["cause"]
    assert (found["code"], found["place"]) == ("WATERMARK_HELD_BACK", {"kind": "source", "name": "symbols"})
    now = timezone.now()
    heartbeat = [("weir-heartbeat", now.isoformat().encode())]
    producer.produce(other, b"", headers=heartbeat, timestamp=int(now.timestamp() * 1_000))
    producer.flush()
    write(producer, topic, *TRADES)
    assert diagnosed(steps, reached=4, sources=BOTH)["cause"]["code"] == "WINDOW_OPEN"


def test_a_table_without_records(diagnosed: Diagnose, topic: str, second: Any, producer: Any) -> None:
    second("table")
    write(producer, topic, *TRADES)
    found = diagnosed({"named": NAMED}, reached=2, sources=WITH_TABLE)["cause"]
    assert (found["code"], found["place"]["name"]) == ("TABLE_EMPTY", "symbols")


def test_keys_that_differ_in_case(diagnosed: Diagnose, topic: str, second: Any, producer: Any) -> None:
    other = second("table")
    write(producer, topic, *TRADES)
    names = ({"name": "s1", "sector": "x"}, {"name": "s9", "sector": "y"})
    write(producer, other, *names, key="name", partitions=1)
    found = diagnosed({"named": NAMED}, reached=2, sources=WITH_TABLE)["cause"]
    assert (found["code"], found["place"]["name"]) == ("JOIN_KEYS_DIFFER", "named")
    assert "upper and lower case" in found["text"]


def test_an_expression_that_gives_null(diagnosed: Diagnose, topic: str, producer: Any) -> None:
    write(producer, topic, *TRADES)
    steps = {
        "typed": {"op": "derive", "input": "trades", "fields": {"number": "cast(symbol as int)"}},
        "some": {"op": "filter", "input": "typed", "where": "number > 0"},
    }
    found = diagnosed(steps, reached=2)["cause"]
    assert (found["code"], found["place"]["name"]) == ("EXPRESSION_NULL", "typed")


def test_records_that_became_malformed(diagnosed: Diagnose, topic: str, producer: Any) -> None:
    write(producer, topic, *TRADES, ago_s=900)
    write(producer, topic, *[b"no json"] * 1_200, ago_s=300)
    found = diagnosed(CHEAP)["cause"]
    facts = {fact["label"]: fact["value"] for fact in found["facts"]}
    assert (found["code"], facts["Records looked at"]) == ("ALL_MALFORMED", 500)
    assert "Malformed at least since" in facts
    assert facts["Example"] in {"partition 0, offset 601", "partition 1, offset 600"}
