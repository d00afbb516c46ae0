"""P4: a backlog of JSON events of six fields through a tumbling count per key: ours, Kafka Streams' and the
tutorial's, one after the other, over the same records on one broker.

Events per CPU-second of all processes but the broker, from records in Kafka to results in Kafka. Each side
reads some records first that do not count, because a JVM compiles what is used again.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import SparkSession

from bench.fill import fill
from bench.peers.processes import Peer, streams_drain, tutorial_drain
from bench.peers.progress import checkpointed_records, committed_records
from bench.trials import Trials
from bench.usage import Strangers, cpu_below
from jobs.engine.backlog import BATCH_RECORDS, in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import Bench
from tests.support.spark_session import local_session

PARTITIONS: Final = 2
KEYS: Final = 1_000
BEGIN_US: Final = 1_767_225_600_000_000
LIMIT_S: Final = 3_600.0
FIELDS: Final = {"id": "long", "k": "string", "at": "long", "x": "int", "y": "double", "note": "string"}
DOCUMENT: Final[dict[str, Any]] = {
    "format": 1,
    "name": "drain",
    "sources": {"s": {"stream": "s"}},
    "steps": {
        "counts": {
            "op": "aggregate",
            "input": "s",
            "window": {"tumbling": {"size": "10s"}},
            "by": ["k"],
            "measures": {"n": "count()"},
        }
    },
    "outputs": {"out": {"input": "counts", "to": "result"}},
}


def measure(folder: Path, events: int, warm: int) -> dict[str, Any]:
    """Measure all three.

    Args:
        folder: new, for broker, checkpoints and state.
        events: that count.
        warm: events before them.

    Returns:
        events, warm, keys, batch (records of a micro-batch), strangers (cores), failed, and by side (ours,
        streams, tutorial): per_cpu_s (events per CPU-second), per_s (events per second) and settings.
    """
    strangers, parts = Strangers(folder), Trials()
    (folder / "kafka").mkdir(parents=True)
    server = KafkaServer(folder / "kafka")
    server.start()
    sides: dict[str, dict[str, Any]] = {}
    try:
        bench = Bench(server, folder)
        topic = bench.topic("events", PARTITIONS)
        fill(server.bootstrap, topic, "six", warm, BEGIN_US, keys=KEYS)

        def ours() -> dict[str, Any]:
            with local_session(folder / "spark") as spark:
                return _ours(spark, bench, topic, events, warm)

        for name, side in (
            ("ours", ours),
            ("streams", lambda: _streams(bench, topic, events, warm, folder / "streams")),
            ("tutorial", lambda: _tutorial(bench, topic, events, warm, folder / "tutorial")),
        ):
            found = parts.run(name, side)
            if found is not None:
                sides[name] = found
            print(f"P4 {name} {found}", flush=True)
    finally:
        server.stop()
    return {
        "events": events,
        "warm": warm,
        "keys": KEYS,
        "batch": BATCH_RECORDS,
        "strangers": strangers.cores(),
        "sides": sides,
        "failed": parts.end(),
    }


def _ours(spark: SparkSession, bench: Bench, topic: str, events: int, warm: int) -> dict[str, Any]:
    """The engine's own query, in micro-batches as it drains a backlog."""
    contract = StreamContract.model_validate(
        {
            "fields": [{"name": name, "type": type_} for name, type_ in FIELDS.items()],
            "event_time": {"kind": "field", "field": "at", "unit": "ms"},
            "delay": "10s",
        }
    )
    target = bench.topic("out", PARTITIONS)
    run = bench.run(
        DOCUMENT,
        {"s": (topic, contract)},
        partitions=PARTITIONS,
        shuffle_partitions=PARTITIONS,
        result_topic=target,
    )
    plan = plan_of(run)
    broker = bench.kafka.pid

    def drain(attempt: int) -> tuple[float, float]:
        before, began = cpu_below(os.getpid(), without=broker), time.monotonic()
        listener = ProgressListener(lambda _: None, lambda: None)
        query = start_query(spark, in_batches(run), plan, bench.home, listener, attempt, drains=True)
        query.awaitTermination()
        return cpu_below(os.getpid(), without=broker) - before, time.monotonic() - began

    drain(0)
    after = BEGIN_US + warm * 1_000
    fill(bench.kafka.bootstrap, topic, "six", events, after, keys=KEYS)
    used, took = drain(1)
    _check_counts(bench, target, events + warm)
    return _rates(
        events, used, took, ["micro-batches", f"{BATCH_RECORDS:,} records each", "RocksDB with changelog"]
    )


def _streams(bench: Bench, topic: str, events: int, warm: int, folder: Path) -> dict[str, Any]:
    group = f"drain-{time.time_ns()}"
    target = bench.topic("out", PARTITIONS)
    peer = streams_drain(bench.kafka.bootstrap, topic, target, folder, PARTITIONS, group)
    consumer = Consumer({"bootstrap.servers": bench.kafka.bootstrap, "group.id": group})
    try:
        rates = drained(peer, lambda: committed_records(consumer, topic, PARTITIONS), events, warm)
        _check_counts(bench, target, events + warm)
        return rates
    finally:
        peer.stop()
        consumer.close()


def _tutorial(bench: Bench, topic: str, events: int, warm: int, folder: Path) -> dict[str, Any]:
    target = bench.topic("out", PARTITIONS)
    peer = tutorial_drain(bench.kafka.bootstrap, topic, target, folder, PARTITIONS, BATCH_RECORDS)
    try:
        rates = drained(peer, lambda: checkpointed_records(folder / "checkpoint", topic), events, warm)
        _check_counts(bench, target, events + warm)
        return rates
    finally:
        peer.stop()


def _check_counts(bench: Bench, target: str, events: int) -> None:
    """One key's counts have to be those of its events: nobody is fast by leaving some out.

    Raises:
        RuntimeError: they are not.
    """
    counts: dict[str, int] = {}
    consumer = Consumer({"bootstrap.servers": bench.kafka.bootstrap, "group.id": "bench.counts"})
    try:
        for number in range(PARTITIONS):
            part = TopicPartition(target, number, 0)
            end = consumer.get_watermark_offsets(part, timeout=10)[1]
            consumer.assign([part])
            at = 0
            while at < end and (records := consumer.consume(10_000, 30)):
                for record in records:
                    at = record.offset() + 1
                    value = record.value() or b""
                    if b'"k":"k0"' in value:
                        row = json.loads(value)
                        counts[str(row["window_start"])] = row["n"]
    finally:
        consumer.close()
    expected = -(-events // KEYS)
    if sum(counts.values()) != expected:
        raise RuntimeError(f"{sum(counts.values()):,} of {expected:,} events of a key were counted")


def drained(
    peer: Peer, progress: Callable[[], int], events: int, warm: int, look_s: float = 0.2
) -> dict[str, Any]:
    """Start a peer, and measure it from when it has read the first records.

    Args:
        peer: to be stopped by the caller.
        progress: how many records it has read.
        events: that count.
        warm: events before them.
        look_s: seconds between two looks at its progress.

    Returns:
        per_cpu_s and per_s (events), and settings.

    Raises:
        RuntimeError: it ended, or had read all by then.
        TimeoutError: it is too slow.
    """
    peer.start()
    first = _await(peer, progress, warm, look_s)
    if first >= warm + events:
        raise RuntimeError(f"{peer.name} had read all before it could be measured: more events")
    before, began = cpu_below(peer.pid), time.monotonic()
    total = _await(peer, progress, warm + events, look_s)
    return _rates(total - first, cpu_below(peer.pid) - before, time.monotonic() - began, peer.settings)


def _await(peer: Peer, progress: Callable[[], int], records: int, look_s: float) -> int:
    """Wait until a peer has read so many records; how many it has read."""
    until = time.monotonic() + LIMIT_S
    while (read := progress()) < records:
        peer.check()
        if time.monotonic() > until:
            raise TimeoutError(f"{peer.name} read {read:,} of {records:,} records in {LIMIT_S:g} s")
        time.sleep(look_s)
    return read


def _rates(events: int, cpu_s: float, took_s: float, settings: list[str]) -> dict[str, Any]:
    return {"per_cpu_s": round(events / cpu_s), "per_s": round(events / took_s), "settings": settings}
