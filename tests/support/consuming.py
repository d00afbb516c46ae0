"""A consumer of a group on a real broker, on a thread, and a writer at a given pace."""

import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, Producer

from tests.support.background import Background


class Writer(Background):
    """Writes records to a topic at a rate that may be changed, until it is left.

    Args:
        bootstrap: of the broker.
        topic: to write to.
        rate: records per second.
        partition: that gets all; None: all partitions in turn.
    """

    def __init__(self, bootstrap: str, topic: str, rate: float, partition: int | None = None) -> None:
        super().__init__()
        self.rate = rate
        self._producer: Any = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "log_level": 0})
        self._write: Callable[[], None] = lambda: self._producer.produce(
            topic, b"x" * 40, **({} if partition is None else {"partition": partition})
        )

    def run(self) -> None:
        """Write."""
        before, owed = time.monotonic(), 0.0
        while not self.stopping.wait(0.05):
            now = time.monotonic()
            owed += (now - before) * self.rate
            before = now
            for _ in range(int(owed)):
                self._write()
            owed -= int(owed)
            self._producer.poll(0)
        self._producer.flush(10)


class Reader(Background):
    """A member of a consumer group that reads at most so many records per second and commits regularly.

    Args:
        bootstrap: of the broker.
        group: its id.
        topic: to read.
        rate: records per second at most; 0 stands still and stays a member.
        commit_s: between two commits.
        options: more options of the client.
    """

    def __init__(
        self,
        bootstrap: str,
        group: str,
        topic: str,
        rate: float = 1e9,
        commit_s: float = 1.0,
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.rate = rate
        self.read = 0
        self.poisoned: int | None = None
        """A partition with a record that can't be processed: it is not committed any more."""
        self._commit_s = commit_s
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "client.id": f"{group}-client",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "log_level": 0,
            }
            | (options or {})
        )
        self._consumer.subscribe([topic])

    def run(self) -> None:
        """Read and commit."""
        before, owed, committed_s, dirty = time.monotonic(), 0.0, time.monotonic(), False
        while not self.stopping.is_set():
            now = time.monotonic()
            owed = min(owed + (now - before) * self.rate, max(self.rate, 1.0))
            before = now
            if owed < 1:
                time.sleep(0.05)
                continue
            messages = self._consumer.consume(min(int(owed), 500), 0.1)
            owed -= len(messages)
            for message in messages:
                if message.error() is None and message.partition() != self.poisoned:
                    self._consumer.store_offsets(message)
                    self.read, dirty = self.read + 1, True
            if dirty and now - committed_s >= self._commit_s:
                self._consumer.commit(asynchronous=False)
                committed_s, dirty = now, False
        if dirty:
            self._consumer.commit(asynchronous=False)
        self._consumer.close()
