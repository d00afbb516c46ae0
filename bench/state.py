"""Operators that Kafka Streams has, too: joins with tables, windows, a filter; both on one broker.

Rows per CPU-second of all processes but the broker, from records in Kafka to results in Kafka. Each side
first reads some records that do not count, because a JVM compiles what is used again.
"""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from confluent_kafka import Consumer, Producer
from pyspark.sql import SparkSession

from bench.peers.processes import streams_state
from bench.peers.progress import committed_records
from bench.usage import Strangers, cpu_seconds, with_children
from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench
from tests.support.spark_session import local_session

PARTITIONS = 2
KEYS = 10_000
BEGIN_MS = 1_767_261_600_000
SECONDS = 900.0
EVENTS = {"k": "string", "id": "long", "x": "int"}
RATES = {"code": "string", "rate": "double", "name": "string"}
JOIN = {"op": "table_join", "input": "s", "table": "t", "type": "left", "on": {"k": "code"}}


def _aggregate(window: dict[str, Any]) -> dict[str, Any]:
    measures = {"n": "count()", "total": "sum(x)"}
    return {"op": "aggregate", "input": "s", "window": window, "by": ["k"], "measures": measures}


STEPS: dict[str, dict[str, Any]] = {
    "current": JOIN,
    "as_of": {**JOIN, "version": "as_of", "retention": "1h"},
    "sliding": _aggregate({"sliding": {"size": "2s"}}),
    "filter": {"op": "filter", "input": "s", "where": "x > 0"},
    "tumbling": _aggregate({"tumbling": {"size": "10s"}}),
    "hopping": _aggregate({"hopping": {"size": "10s", "advance": "5s"}}),
    "session": _aggregate({"session": {"gap": "2s"}}),
}


def measure(folder: Path, rows: int, warm: int) -> dict[str, Any]:
    """Measure each kind.

    Args:
        folder: new, for broker, checkpoints and state.
        rows: that count.
        warm: rows before them.

    Returns:
        rows, warm, keys, strangers (cores), settings of the peer, and by kind: ours and streams (rows per
        CPU-second).
    """
    strangers = Strangers(folder)
    (folder / "kafka").mkdir(parents=True)
    server = KafkaServer(folder / "kafka")
    server.start()
    found: dict[str, Any] = {}
    settings: list[str] = []
    try:
        with local_session(folder / "spark") as spark:
            for kind in STEPS:
                records = _Records(Bench(server, folder), warm, rows)
                ours = _ours(spark, records, kind)
                records = _Records(Bench(server, folder), warm, rows)
                theirs, settings = _theirs(records, kind, folder / f"streams-{kind}")
                found[kind] = {"ours": ours, "streams": theirs}
                print(f"{kind}: {found[kind]}", flush=True)
    finally:
        server.stop()
    return {
        "rows": rows,
        "warm": warm,
        "keys": KEYS,
        "strangers": strangers.cores(),
        "settings": settings,
        "kinds": found,
    }


class _Records:
    """Topics of one measurement: the table is there, events come in two parts."""

    def __init__(self, bench: Bench, warm: int, rows: int) -> None:
        self.bench, self.warm, self.rows = bench, warm, rows
        self.table, self.events = bench.topic("table", PARTITIONS), bench.topic("events", PARTITIONS)
        self.target = bench.topic("out", PARTITIONS)
        self._send(self.table, KEYS, lambda at: {"code": f"c{at}", "rate": at / 2, "name": f"name {at}"})

    def send(self, first: int, count: int) -> None:
        """Events of keys at random, one a millisecond."""
        drawn = random.Random(first)
        self._send(
            self.events,
            count,
            lambda at: {"k": f"c{drawn.randrange(KEYS)}", "id": first + at, "x": at % 1000 - 500},
            first,
        )

    def _send(self, topic: str, count: int, value: Callable[[int], dict[str, Any]], first: int = 0) -> None:
        producer = Producer(
            {
                "bootstrap.servers": self.bench.kafka.bootstrap,
                "linger.ms": 20,
                "queue.buffering.max.messages": 2_000_000,
            }
        )
        for at in range(count):
            record = value(at)
            name = record.get("code") or record["k"]
            producer.produce(
                topic,
                json.dumps(record).encode(),
                json.dumps({"code": name}).encode(),
                partition=int(name[1:]) % PARTITIONS,
                timestamp=BEGIN_MS + first + at,
            )
            producer.poll(0)
        assert producer.flush(60) == 0


def _ours(spark: SparkSession, records: _Records, kind: str) -> int:
    """The engine's own query, in micro-batches as it drains a backlog."""
    sources = {"s": (records.events, _contract(EVENTS)), "t": (records.table, _contract(RATES, ["code"]))}
    document = {
        "format": 1,
        "name": "state",
        "sources": {
            "s": {"stream": "s"},
            **({"t": {"table": "t"}} if STEPS[kind]["op"] == "table_join" else {}),
        },
        "steps": {"step": STEPS[kind]},
        "outputs": {"out": {"input": "step", "to": "result"}},
    }
    used = {name: sources[name] for name in document["sources"]}
    run = records.bench.run(
        document, used, partitions=PARTITIONS, shuffle_partitions=PARTITIONS, result_topic=records.target
    )
    plan = plan_of(run)

    def drain(attempt: int) -> float:
        broker = records.bench.kafka.pid
        tree = [process for process in with_children(psutil.Process().pid) if process.pid != broker]
        before = cpu_seconds(tree)
        listener = ProgressListener(lambda _: None, lambda: None)
        query = start_query(spark, in_batches(run), plan, records.bench.home, listener, attempt, drains=True)
        query.awaitTermination()
        return cpu_seconds(tree) - before

    records.send(0, records.warm)
    drain(0)
    records.send(records.warm, records.rows)
    return round(records.rows / drain(1))


def _theirs(records: _Records, kind: str, folder: Path) -> tuple[int, list[str]]:
    bootstrap, group = records.bench.kafka.bootstrap, f"state-{kind}-{time.time_ns()}"
    peer = streams_state(
        bootstrap, records.events, records.table, records.target, folder, PARTITIONS, group, kind
    )
    peer.start()
    try:
        records.send(0, records.warm)
        _read(bootstrap, group, records.events, records.warm, peer.check)
        tree = with_children(peer.pid)
        before = cpu_seconds(tree)
        records.send(records.warm, records.rows)
        _read(bootstrap, group, records.events, records.warm + records.rows, peer.check)
        return round(records.rows / (cpu_seconds(tree) - before)), peer.settings
    finally:
        peer.stop()


def _read(bootstrap: str, group: str, topic: str, records: int, check: Callable[[], None]) -> None:
    """Wait until a consumer group has committed so many records."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})

    def done() -> bool:
        check()
        return committed_records(consumer, topic, PARTITIONS) >= records

    try:
        wait_until(done, SECONDS, f"{records} records are read")
    finally:
        consumer.close()


def _contract(fields: dict[str, str], key: list[str] | None = None) -> StreamContract:
    written = [{"name": name, "type": type_} for name, type_ in fields.items()]
    table = {"kind": "table", "key": key} if key else {}
    return StreamContract.model_validate({"fields": written, **table})
