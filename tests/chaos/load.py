"""A steady load whose every record is known, and the answer that plain Python gives for it."""

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from confluent_kafka import Producer

KEYS = ("ash", "birch", "cedar", "elm")
WINDOW_US = 5_000_000
DISORDER_US = 20_000_000

CONTRACT = {
    "format": "json",
    "fields": [
        {"name": "k", "type": "string", "nullable": False},
        {"name": "x", "type": "long", "nullable": False},
        {"name": "at", "type": "long", "nullable": False},
    ],
    "event_time": {"kind": "field", "field": "at", "unit": "us"},
    "delay": "1h",  # far above the disorder and any time that a process is away: no row is late
}

Answer = dict[tuple[str, str], dict[str, int]]  # (window start, key) → measures


def document(name: str, stream: str, mode: str, engine: str = "shared", **settings: Any) -> str:
    """A job that counts and sums per key and window. settings: more of them."""
    return json.dumps({
        "format": 1,
        "name": name,
        "sources": {"events": {"stream": stream}},
        "steps": {"sums": {
            "op": "aggregate", "input": "events", "window": {"tumbling": {"size": "5s"}}, "by": ["k"],
            "measures": {"n": "count()", "total": "sum(x)", "least": "min(x)", "greatest": "max(x)"},
        }},
        "outputs": {"live": {"input": "sums", "to": "result"}},
        "settings": {"mode": mode, "engine": engine, "commit_interval": "5s", **settings},
    })  # fmt: skip


class Load:
    """Sends records while the block lasts, through any outage.

    The producer waits and sends each one exactly once.

    Args:
        bootstrap: servers.
        topic: with two partitions; a key stays in one.
        rate: records per second.
        seed: of keys, values and disorder; printed, so that a failure can be repeated.
        access: options of the client; None: the broker asks for no user.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        rate: float = 100,
        seed: int | None = None,
        access: Mapping[str, str] | None = None,
    ) -> None:
        self.seed = seed if seed is not None else random.randrange(1_000_000)
        self._settings = {
            "bootstrap.servers": bootstrap, "enable.idempotence": True, "acks": "all", "linger.ms": 5,
            "log_level": 0,
            "message.timeout.ms": 600_000, "reconnect.backoff.max.ms": 1_000,
            **(access or {}),
        }  # fmt: skip
        self._topic, self._rate = topic, rate
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.sent: list[tuple[str, int, int]] = []
        self.refused: list[str] = []

    def __enter__(self) -> "Load":
        print(f"load seed {self.seed}")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(90)

    def burst(self, count: int) -> None:
        """Send so many records at once, beside the steady ones."""
        chance, producer = random.Random(self.seed + 1), Producer(self._settings)
        for _ in range(count):
            self._send(chance, producer)
            producer.poll(0)
        assert producer.flush(120) == 0, "the broker did not take the burst"

    def finish(self) -> Answer:
        """Stop, wait until the broker has everything, and give the answer."""
        self._stop.set()
        self._thread.join(90)
        assert not self._thread.is_alive(), "the broker did not take what was sent"
        assert not self.refused, self.refused[:3]
        return answer(self.sent)

    def _run(self) -> None:
        chance, producer, began, number = (
            random.Random(self.seed),
            Producer(self._settings),
            time.monotonic(),
            0,
        )
        while not self._stop.is_set():
            wait = began + number / self._rate - time.monotonic()
            if wait > 0:
                producer.poll(0)
                time.sleep(wait)
            self._send(chance, producer)
            number += 1
        producer.flush(80)

    def _send(self, chance: random.Random, producer: Producer) -> None:
        key, x = chance.choice(KEYS), chance.randrange(-1_000, 1_000)
        at = time.time_ns() // 1000 - chance.randrange(DISORDER_US)
        value = json.dumps({"k": key, "x": x, "at": at}).encode()
        while True:
            try:
                producer.produce(
                    self._topic,
                    value,
                    key.encode(),
                    partition=KEYS.index(key) % 2,
                    on_delivery=self._delivered,
                )
                break
            except BufferError:
                producer.poll(0.1)
        self.sent.append((key, x, at))

    def _delivered(self, error: Any, _record: Any) -> None:
        if error is not None:
            self.refused.append(str(error))


def answer(sent: list[tuple[str, int, int]]) -> Answer:
    """What every window must hold in the end."""
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for key, x, at in sent:
        groups[at // WINDOW_US * WINDOW_US, key].append(x)
    return {
        (_text(start), key): {
            "n": len(values),
            "total": sum(values),
            "least": min(values),
            "greatest": max(values),
        }
        for (start, key), values in groups.items()
    }


def _text(instant_us: int) -> str:
    second = datetime.fromtimestamp(instant_us // 1_000_000, UTC)
    return second.strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant_us % 1_000_000:06d}Z"
