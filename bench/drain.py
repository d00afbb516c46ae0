"""P4: a backlog of JSON events of six fields through a tumbling count per key: ours, Kafka Streams' and the
tutorial's, in turn, over the same records on one broker.

Events per CPU-second of all processes but the broker, from records in Kafka to results in Kafka.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, TopicPartition

from bench.fill import fill
from bench.peers.processes import Peer, streams_drain, tutorial_drain
from bench.peers.progress import checkpointed_records, committed_records
from bench.trials import Trials
from bench.turns import TURN_S, Side, in_turn
from bench.usage import Strangers
from jobs.engine.backlog import BATCH_RECORDS
from jobs.formats.contract import StreamContract
from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import Bench

PARTITIONS: Final = 2
KEYS: Final = 1_000
BEGIN_US: Final = 1_767_225_600_000_000
STREAMS_GROUP: Final = "drain"
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
        events, warm, keys, batch (records of a micro-batch), turn_s, strangers (cores), failed, and by side
        (ours, streams, tutorial): per_cpu_s (events per CPU-second), per_s (events per second) and settings.
    """
    strangers, parts = Strangers(folder), Trials()
    (folder / "kafka").mkdir(parents=True)
    server = KafkaServer(folder / "kafka")
    server.start()
    group = Consumer({"bootstrap.servers": server.bootstrap, "group.id": STREAMS_GROUP})
    try:
        bench = Bench(server, folder)
        topic = bench.topic("events", PARTITIONS)
        fill(server.bootstrap, topic, "six", warm + events, BEGIN_US, keys=KEYS)
        sides = {
            "ours": _ours(bench, topic, events, warm),
            "streams": _streams(bench, topic, group, events, warm),
            "tutorial": _tutorial(bench, topic, events, warm),
        }
        found = in_turn(sides, parts)
    finally:
        group.close()
        server.stop()
    return {
        "events": events,
        "warm": warm,
        "keys": KEYS,
        "batch": BATCH_RECORDS,
        "turn_s": TURN_S,
        "strangers": strangers.cores(),
        "sides": found,
        "failed": parts.end(),
    }


def _ours(bench: Bench, topic: str, events: int, warm: int) -> Side:
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
    folder = bench.folder / "ours"
    folder.mkdir()
    given = {"run": run.model_dump(mode="json"), "home": bench.home.model_dump(mode="json")}
    (folder / "run.json").write_text(json.dumps(given))
    peer = Peer(
        "Weir",
        [sys.executable, "-m", "bench.drain_query", str(folder / "run.json"), str(folder / "spark")],
        folder / "log",
        ["micro-batches", f"{BATCH_RECORDS:,} records each", "RocksDB with changelog"],
    )
    return _side(bench, peer, lambda: checkpointed_records(Path(run.checkpoint), topic), target, events, warm)


def _streams(bench: Bench, topic: str, group: Consumer, events: int, warm: int) -> Side:
    target = bench.topic("out", PARTITIONS)
    peer = streams_drain(
        bench.kafka.bootstrap, topic, target, bench.folder / "streams", PARTITIONS, STREAMS_GROUP
    )
    return _side(bench, peer, lambda: committed_records(group, topic, PARTITIONS), target, events, warm)


def _tutorial(bench: Bench, topic: str, events: int, warm: int) -> Side:
    target, folder = bench.topic("out", PARTITIONS), bench.folder / "tutorial"
    peer = tutorial_drain(bench.kafka.bootstrap, topic, target, folder, PARTITIONS, BATCH_RECORDS)
    return _side(
        bench, peer, lambda: checkpointed_records(folder / "checkpoint", topic), target, events, warm
    )


def _side(bench: Bench, peer: Peer, read: Callable[[], int], target: str, events: int, warm: int) -> Side:
    return Side(peer, read, lambda: _check_counts(bench, target, events + warm), warm, warm + events)


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
