"""Operators that Kafka Streams has, too: joins, windows, aggregates, a filter; both on one broker.

Rows per CPU-second of all processes but the broker, from records in Kafka to results in Kafka. Each side
first reads some records that do not count, because a JVM compiles what is used again.
"""

import json
import os
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.sql import SparkSession

from bench.peers.processes import streams_state
from bench.peers.progress import committed_records
from bench.trials import Trials
from bench.turns import TURN_S, Side
from bench.usage import Strangers, cpu_below
from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import Bench
from tests.support.spark_session import local_session

PARTITIONS = 2
KEYS = 10_000
BEGIN_MS = 1_767_261_600_000
EVENTS = {"k": "string", "id": "long", "x": "int"}
RATES = {"code": "string", "rate": "double", "name": "string"}
JOIN = {"op": "table_join", "input": "s", "table": "t", "type": "left", "on": {"k": "code"}}


def _aggregate(window: dict[str, Any]) -> dict[str, Any]:
    measures = {"n": "count()", "total": "sum(x)"}
    return {"op": "aggregate", "input": "s", **window, "by": ["k"], "measures": measures}


STEPS: dict[str, dict[str, Any]] = {
    "current": JOIN,
    "as_of": {**JOIN, "version": "as_of", "retention": "1h"},
    "sliding": _aggregate({"window": {"sliding": {"size": "2s"}}}),
    "join": {
        "op": "join", "left": "s", "right": "r", "type": "inner", "on": {"k": "k"},
        "between": {"after": "1s"}, "prefix": "r_",
    },
    "aggregate": _aggregate({}),
    "tumbling": _aggregate({"window": {"tumbling": {"size": "10s"}}}),
    "hopping": _aggregate({"window": {"hopping": {"size": "10s", "advance": "5s"}}}),
    "session": _aggregate({"window": {"session": {"gap": "2s"}}}),
    "deduplicate": {"op": "deduplicate", "input": "s", "by": ["k", "id"], "within": "10s"},
    "latest": {"op": "latest", "input": "s", "by": ["k"]},
    "filter": {"op": "filter", "input": "s", "where": "x > 0"},
}  # fmt: skip


def document(kind: str) -> dict[str, Any]:
    """The job of a kind."""
    others = {"table_join": {"t": {"table": "t"}}, "join": {"r": {"stream": "r"}}}
    step = STEPS[kind]
    return {
        "format": 1,
        "name": "state",
        "sources": {"s": {"stream": "s"}, **others.get(step["op"], {})},
        "steps": {"step": step},
        "outputs": {"out": {"input": "step", "to": "result"}},
    }


def measure(folder: Path, rows: int, warm: int) -> dict[str, Any]:
    """Measure each kind.

    Args:
        folder: new, for broker, checkpoints and state.
        rows: that count.
        warm: rows before them.

    Returns:
        rows, warm, keys, strangers (cores), settings of the peer, failed, and by kind: ours and streams (rows
        per CPU-second; of a join of two streams the rows of both), start (CPU-seconds of our query, which are
        not in ours: the peer runs already), ours_out and streams_out (records in the result topic, all in
        all).
    """
    strangers, parts = Strangers(folder), Trials()
    (folder / "kafka").mkdir(parents=True)
    server = KafkaServer(folder / "kafka")
    server.start()
    found: dict[str, Any] = {}
    settings: list[str] = []

    def both(kind: str) -> dict[str, Any]:
        nonlocal settings
        records = _Records(Bench(server, folder), kind, warm, rows)
        ours, start = _ours(spark, records)
        beside = _Records(Bench(server, folder), kind, warm, rows)
        streams, settings = _theirs(beside, folder / f"streams-{kind}")
        return {
            "ours": ours, "streams": streams, "start": start, "ours_out": records.results(),
            "streams_out": beside.results(),
        }  # fmt: skip

    try:
        with local_session(folder / "spark") as spark:
            for kind in STEPS:
                one = parts.run(kind, partial(both, kind))
                if one is not None:
                    found[kind] = one
                print(f"{kind}: {one}", flush=True)
    finally:
        server.stop()
    return {
        "rows": rows,
        "warm": warm,
        "keys": KEYS,
        "strangers": strangers.cores(),
        "settings": settings,
        "kinds": found,
        "failed": parts.end(),
    }


class _Records:
    """Topics of one measurement: the table is there, events come in two parts."""

    def __init__(self, bench: Bench, kind: str, warm: int, rows: int) -> None:
        self.bench, self.kind, self.warm, self.rows = bench, kind, warm, rows
        self.events, self.target = bench.topic("events", PARTITIONS), bench.topic("out", PARTITIONS)
        self.other = bench.topic("other", PARTITIONS)  # of two streams the right one, or the table
        self.sources = (1, 2)[kind == "join"]
        if STEPS[kind]["op"] == "table_join":
            self._send(self.other, KEYS, lambda at: {"code": f"c{at}", "rate": at / 2, "name": f"name {at}"})

    def send(self, first: int, count: int) -> None:
        """Events of keys at random, one a millisecond; those to be deduplicated come twice."""
        times = 2 if self.kind == "deduplicate" else 1
        for topic in (self.events, self.other)[: self.sources]:
            shift = int(topic == self.other)  # of two streams each has other keys

            def event(at: int, shift: int = shift) -> dict[str, Any]:
                number = (first + at) // times
                key = random.Random(2 * number + shift).randrange(KEYS)
                return {"k": f"c{key}", "id": number, "x": number % 1000 - 500}

            self._send(topic, count, event, first)

    def results(self) -> int:
        """Records in the result topic."""
        consumer = Consumer({"bootstrap.servers": self.bench.kafka.bootstrap, "group.id": "bench.ends"})
        try:
            parts = [TopicPartition(self.target, number) for number in range(PARTITIONS)]
            return sum(consumer.get_watermark_offsets(part, timeout=10)[1] for part in parts)
        finally:
            consumer.close()

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


def _ours(spark: SparkSession, records: _Records) -> tuple[int, float]:
    """The engine's own query, in micro-batches as it drains a backlog: rows per CPU-second without its start,
    and CPU-seconds of that, as a drain of next to nothing takes them.
    """
    events, table = (records.events, contract_of(EVENTS)), (records.other, contract_of(RATES, ["code"]))
    of_sources = {"s": events, "t": table, "r": (records.other, events[1])}
    made = document(records.kind)
    run = records.bench.run(
        made,
        {name: of_sources[name] for name in made["sources"]},
        partitions=PARTITIONS,
        shuffle_partitions=PARTITIONS,
        result_topic=records.target,
    )
    plan = plan_of(run)

    def drain(attempt: int) -> float:
        broker = records.bench.kafka.pid
        before = cpu_below(os.getpid(), without=broker)
        listener = ProgressListener(lambda _: None, lambda: None)
        query = start_query(spark, in_batches(run), plan, records.bench.home, listener, attempt, drains=True)
        query.awaitTermination()
        return cpu_below(os.getpid(), without=broker) - before

    records.send(0, records.warm)
    drain(0)
    records.send(records.warm, records.rows)
    whole = drain(1)
    records.send(records.warm + records.rows, PARTITIONS)
    start = drain(2)
    return round(records.sources * records.rows / max(whole - start, 0.01)), round(start, 2)


def _theirs(records: _Records, folder: Path) -> tuple[int, list[str]]:
    """Rows per CPU-second from when the first records are read. All lie in the topics before it starts, as
    before ours: a peer that waits for a producer would work in small batches.
    """
    bootstrap, group = records.bench.kafka.bootstrap, f"state-{records.kind}-{time.time_ns()}"
    peer = streams_state(
        bootstrap, records.events, records.other, records.target, folder, PARTITIONS, group, records.kind
    )
    records.send(0, records.warm)
    records.send(records.warm, records.rows)
    read = (records.events, records.other)[: records.sources]
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    side = Side(
        peer,
        lambda: sum(committed_records(consumer, topic, PARTITIONS) for topic in read),
        lambda: None,
        records.sources * records.warm,
        records.sources * (records.warm + records.rows),
    )
    try:
        while not side.turn(TURN_S):
            pass
        return side.rates["per_cpu_s"], peer.settings
    finally:
        side.end()
        consumer.close()


def contract_of(fields: dict[str, str], key: list[str] | None = None) -> StreamContract:
    """JSON records of these fields; with a key a table."""
    written = [{"name": name, "type": type_} for name, type_ in fields.items()]
    table = {"kind": "table", "key": key} if key else {}
    return StreamContract.model_validate({"fields": written, **table})
