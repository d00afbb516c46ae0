"""Generated records of which a known share is bad in known ways."""

import json
import random
from collections import Counter
from collections.abc import Iterator

from confluent_kafka import Producer

SHARE = 0.03
PARTITIONS = 2
CONTRACT = {
    "fields": [
        {"name": "k", "type": "string", "nullable": False},
        {"name": "x", "type": "int"},
        {"name": "at", "type": "long", "nullable": False},
    ],
    "event_time": {"kind": "field", "field": "at", "unit": "ms"},
}
_AT = 1_750_000_000_000
# Reason → a value that has it; {n} makes each of them another.
_BAD: dict[str, str | None] = {
    "NOT_JSON": '{{"k": "cut {n}',
    "NOT_OBJECT": "[{n}]",
    "FIELD_TYPE": '{{"k": "a", "x": "no number {n}", "at": 1750000000000}}',
    "FIELD_MISSING": '{{"x": {n}, "at": 1750000000000}}',
    "TIME_RANGE": '{{"k": "b", "x": {n}, "at": -1}}',
    "VALUE_NULL": None,
}

Coordinates = tuple[int, int]


def records(count: int, seed: int = 7) -> Iterator[tuple[int, bytes | None, str | None]]:
    """Partition, value, and the reason for which it is bad; None for a good one."""
    chance = random.Random(seed)
    for n in range(count):
        partition = n % PARTITIONS
        if chance.random() >= SHARE:
            yield partition, json.dumps({"k": f"k{n % 50}", "x": n % 1000, "at": _AT + n}).encode(), None
            continue
        reason = chance.choice(list(_BAD))
        text = _BAD[reason]
        yield partition, None if text is None else text.format(n=n).encode(), reason


class Produced:
    """What was written to a topic."""

    def __init__(self) -> None:
        self.count = 0
        self.bad: dict[Coordinates, tuple[str, bytes | None]] = {}  # by partition and offset

    @property
    def reasons(self) -> dict[str, int]:
        return dict(Counter(reason for reason, _ in self.bad.values()))

    @property
    def valid(self) -> int:
        return self.count - len(self.bad)


def produce(
    bootstrap: str, topic: str, count: int, seed: int = 7, produced: Produced | None = None
) -> Produced:
    """Write that many, each once; they follow what `produced` holds of an earlier call."""
    found = produced or Produced()
    offsets = [found.count // PARTITIONS] * PARTITIONS
    assert found.count % PARTITIONS == 0
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 50})
    for partition, value, reason in records(count, seed):
        while True:
            try:
                producer.produce(topic, value, f"key-{offsets[partition]}".encode(), partition)
                break
            except BufferError:
                producer.poll(0.1)
        if reason is not None:
            found.bad[partition, offsets[partition]] = (reason, value)
        offsets[partition] += 1
        found.count += 1
        producer.poll(0)
    assert producer.flush(60) == 0
    return found
