"""Bad input: a clear error each, and nothing else disturbed."""

import json

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from tests.chaos.jobs import Job, assert_exact, create, register
from tests.chaos.load import CONTRACT, Load, document
from tests.support.processes import wait_until
from tests.support.rest import Answer, Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.timeout(600)]

FIVE_MEGABYTES = 5 * 1024 * 1024
NONSENSE = (
    b"", b"{", b"null", b"[1]", b'"text"', b"{'k': 'ash'}", b'{"k": "ash", "x": 1.5, "at": 1}',
    b'{"k": "ash", "x": 1}', b'{"k": null, "x": 1, "at": 1}', b"\xff\xfe\x00",
    b'{"k": "ash", "x": 99999999999999999999, "at": 1}', b"[" * 2_000,
)  # fmt: skip


@pytest.fixture
def wide_topic(system: System, rest: Rest, stream_name: str) -> str:
    """A registered topic that takes records of 6 MiB."""
    register(rest, stream_name)
    change = ConfigEntry(
        "max.message.bytes", str(6 * 1024 * 1024), incremental_operation=AlterConfigOpType.SET
    )
    resource = ConfigResource(ResourceType.TOPIC, stream_name, incremental_configs=[change])
    admin = AdminClient({"bootstrap.servers": system.bootstrap})
    admin.incremental_alter_configs([resource])[resource].result(20)
    return stream_name


@pytest.mark.parametrize("mode", ["realtime", pytest.param("microbatch", marks=pytest.mark.thorough)])
def test_malformed_and_huge_records_are_counted_and_stop_nothing(
    system: System, rest: Rest, wide_topic: str, mode: str
) -> None:
    job = create(rest, f"bad-input-{mode}", wide_topic, mode)
    with Load(system.bootstrap, wide_topic, rate=50) as load:
        job.start()
        producer = Producer({"bootstrap.servers": system.bootstrap, "message.max.bytes": 6 * 1024 * 1024})
        offsets: list[int] = []
        for value in (*NONSENSE, b'{"k": "' + b"x" * FIVE_MEGABYTES + b'"}'):
            producer.produce(
                wide_topic,
                value,
                b"ash",
                partition=0,
                on_delivery=lambda _, record: offsets.append(record.offset()),
            )
        assert producer.flush(60) == 0
        wait_until(
            lambda: _malformed(rest, job.id) >= len(NONSENSE) + 1, 240, "every malformed record is counted"
        )
        assert_exact(job, load.finish(), 240)
    asked = {"from": "offset", "partition": 0, "offset": min(offsets), "limit": 200}
    reasons = {
        record["malformed"]["reason"]
        for record in rest.get(f"streams/{wide_topic}/records", **asked)["records"]
        if record["malformed"]
    }
    assert {"NOT_JSON", "NOT_OBJECT", "FIELD_TYPE", "FIELD_MISSING"} <= reasons, reasons
    rest.post(f"jobs/{job.id}/stop")


def test_a_record_that_is_twice_as_large_in_json_comes_through(
    system: System, rest: Rest, stream_name: str
) -> None:
    contract = {"format": "text", "fields": [{"name": "line", "type": "string", "nullable": False}]}
    body = {"name": stream_name, "description": "", "topic": stream_name, "contract": contract}
    rest.post("streams", {**body, "create": {"partitions": 1, "retention_ms": None}})
    content = {
        "format": 1,
        "name": "quotes",
        "sources": {"events": {"stream": stream_name}},
        "steps": {"all": {"op": "filter", "input": "events", "where": "true"}},
        "outputs": {"live": {"input": "all", "to": "result"}},
    }
    job = Job(rest, rest.post("jobs", {"document": json.dumps(content)})["id"])
    job.start()
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for line in ('"' * 900_000, "the next"):
        producer.produce(stream_name, line.encode())
    assert producer.flush(60) == 0

    def lines() -> set[str]:
        return {row["value"]["line"] for row in rest.get(f"jobs/{job.id}/results", limit=10)["rows"]}

    wait_until(lambda: lines() == {'"' * 900_000, "the next"}, 120, "both lines are results")
    rest.post(f"jobs/{job.id}/stop")


def _malformed(rest: Rest, job_id: str) -> int:
    return sum(rest.get(f"jobs/{job_id}/lag/history", minutes=60)["counts"]["malformed"])


def test_an_unknown_topic_is_refused_by_name(rest: Rest) -> None:
    body = {
        "name": "nowhere",
        "description": "",
        "topic": "no.such.topic",
        "create": None,
        "contract": CONTRACT,
    }
    with pytest.raises(Answer) as refusal:
        rest.post("streams", body)
    assert refusal.value.status in (404, 409, 422)
    assert "no.such.topic" in json.dumps(refusal.value.body)


def test_a_document_with_twenty_faults_names_them_all(rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    content = json.loads(document("faulty", stream_name, "auto"))
    fields = {f"f{number}": f"missing_{number} + 1" for number in range(20)}
    content["steps"] = {"twenty": {"op": "derive", "input": "events", "fields": fields}}
    content["outputs"] = {"live": {"input": "twenty", "to": "result"}}
    problems = rest.post("documents/check", {"document": json.dumps(content)})["problems"]
    named = {name for name in fields for problem in problems if name in problem["path"]}
    assert named == set(fields), problems
    assert all(problem["code"] and problem["path"] and problem["message"] for problem in problems)
    with pytest.raises(Answer) as refusal:
        rest.post("jobs", {"document": json.dumps(content)})
    assert refusal.value.status == 422
    assert len(refusal.value.body["problems"]) >= 20
