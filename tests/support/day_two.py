"""A workspace at work: a job with a feed, a group behind, an alert, an objective and a lineage receiver."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from confluent_kafka import Consumer, Producer, TopicPartition

from tests.support.openlineage_receiver import LineageCatalog, lineage_catalog
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

RECORDS: Final = 60
COMMITTED: Final = 10
_CONTRACT: Final = {
    "fields": [{"name": "status", "type": "string"}],
    "event_time": {"kind": "kafka_timestamp"},
    "delay": "2s",
}
_STARTED_S: Final = 180
_SEEN_S: Final = 60


@dataclass(frozen=True)
class DayTwo:
    """What the workspace has.

    Attributes:
        rest: an owner of the workspace.
        stream: of orders, OK and FAILED; one comes each half second.
        job: id of the job that counts them per status.
        job_name: of it.
        group: a consumer group without members that has read `COMMITTED` of its records.
        rule: name of a rule over the job's rows that fires.
        catalog: what received the lineage.
    """

    rest: Rest
    stream: str
    job: str
    job_name: str
    group: str
    rule: str
    catalog: LineageCatalog

    def committed(self, system: System) -> int:
        """The group's offset, as Kafka has it."""
        consumer = Consumer({"bootstrap.servers": system.bootstrap, "group.id": self.group})
        (found,) = consumer.committed([TopicPartition(self.stream, 0)], timeout=20)
        consumer.close()
        return int(found.offset)


@contextmanager
def day_two(system: System, username: str, workspace: str) -> Iterator[DayTwo]:
    """A workspace with all of this, which runs while the context lasts."""
    rest = system.rest(username, workspace)
    stream = f"orders_{uuid4().hex[:6]}"
    rest.post(
        "streams", {"name": stream, "topic": stream, "create": {"partitions": 1}, "contract": _CONTRACT}
    )
    with lineage_catalog() as catalog, _feed(system, stream):
        rest.request("PUT", "openlineage", {"url": catalog.url, "namespace": "", "key": "", "enabled": True})
        name = f"per_status_{stream}"
        job = _counting_job(rest, name, stream)
        group = f"billing_{stream}"
        _read_some(system, stream, group)
        rule = f"Any order of {stream}"
        watch = {"kind": "rows", "job": job, "where": "status = 'OK' and orders >= 1"}
        rest.post("alert-rules", {"name": rule, "document": {"watch": watch, "severity": "warning"}})
        rest.post(
            "objectives",
            {"job_id": job, "kind": "freshness", "threshold": 30, "target": 0.99, "window_days": 28},
        )
        found = DayTwo(rest, stream, job, name, group, rule, catalog)
        wait_until(lambda: _fires(found), _SEEN_S, "the rule fires")
        wait_until(lambda: _is_seen(found), _SEEN_S, "the group is seen")
        wait_until(lambda: bool(rest.get(f"jobs/{job}/logs")["lines"]), _SEEN_S, "lines are logged")
        try:
            yield found
        finally:
            rest.post(f"jobs/{job}/stop", {})
            rest.delete("openlineage")


def _counting_job(rest: Rest, name: str, stream: str) -> str:
    document = {
        "format": 1,
        "name": name,
        "sources": {"orders": {"stream": stream}},
        "steps": {
            "n": {"op": "aggregate", "input": "orders", "by": ["status"], "measures": {"orders": "count()"}}
        },
        "outputs": {"live": {"input": "n", "to": "result"}},
    }
    job = str(rest.post("jobs", {"document": json.dumps(document)})["id"])
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    wait_until(lambda: rest.get(f"jobs/{job}")["observed"] == "running", _STARTED_S, "the job runs")
    return job


@contextmanager
def _feed(system: System, topic: str) -> Iterator[None]:
    """`RECORDS` orders at once, and one each half second while the context lasts; each fourth has failed."""
    producer: Any = Producer({"bootstrap.servers": system.bootstrap})
    ended = threading.Event()

    def write(number: int) -> None:
        status = "FAILED" if number % 4 == 0 else "OK"
        producer.produce(topic, json.dumps({"status": status}).encode())

    def feed() -> None:
        number = RECORDS
        while not ended.wait(0.5):
            write(number := number + 1)
            producer.poll(0)

    for number in range(RECORDS):
        write(number)
    assert producer.flush(20) == 0
    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        producer.flush(10)


def _read_some(system: System, topic: str, group: str) -> None:
    """A member reads `COMMITTED` records, commits them and leaves."""
    consumer: Any = Consumer(
        {
            "bootstrap.servers": system.bootstrap,
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([topic])
    last = None
    read = 0
    while read < COMMITTED:
        message = consumer.poll(30)
        assert message is not None, "the broker gives no records"
        assert message.error() is None, message.error()
        last, read = message, read + 1
    consumer.commit(message=last, asynchronous=False)
    consumer.close()


def _fires(day: DayTwo) -> bool:
    return any(alert["rule"] == day.rule for alert in day.rest.get("alerts", state="open")["results"])


def _is_seen(day: DayTwo) -> bool:
    return any(group["name"] == day.group for group in day.rest.get("consumer-groups")["results"])
