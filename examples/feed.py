"""Sending records to Kafka when they are due, as every example's program does."""

import signal
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import FrameType

from confluent_kafka import Producer

from examples.kafka import client_options

TICK_SECONDS = 0.1
FALLEN_BEHIND_SECONDS = 1.0


@dataclass(frozen=True)
class Due:
    """A record and when to send it: `at` seconds after the feed's start (0 or less: at once).

    `topic` is for feeds that send to several; a null value deletes its key from a table.
    """

    at: float
    key: bytes | None
    value: bytes | None
    topic: str | None = None


class Feed:
    """Sends until its records end or SIGTERM or SIGINT arrives.

    Wakes ten times a second and sends what is due.

    Args:
        bootstrap: Kafka's bootstrap servers.
        topic: of the records that name none.
    """

    def __init__(self, bootstrap: str, topic: str = "") -> None:
        self._topic = topic
        self._stop = threading.Event()
        self._producer = Producer(
            {
                **client_options(bootstrap),
                "linger.ms": 5,
                "acks": "all",
                "enable.idempotence": True,
                "partitioner": "murmur2_random",  # as Java clients, and so Weir, partition by key
            }
        )

    def stop_on_signals(self) -> None:
        """End with what is queued sent, when the process is asked to end."""

        def asked(_number: int, _frame: FrameType | None) -> None:
            self._stop.set()

        signal.signal(signal.SIGTERM, asked)
        signal.signal(signal.SIGINT, asked)

    def send(self, records: Iterable[Due]) -> int:
        """Send the records when they are due.

        A feed that was held up for more than a second (the broker was away, the machine slept) goes on at its
        pace and does not make up for the pause with a burst.

        Returns:
            How many were sent.
        """
        sent, start = 0, time.monotonic()
        for record in records:
            while (wait := start + record.at - time.monotonic()) > 0 and not self._stop.is_set():
                self._producer.poll(0)
                self._stop.wait(max(wait, TICK_SECONDS))
            if self._stop.is_set():
                break
            if wait < -FALLEN_BEHIND_SECONDS and record.at > 0:
                start -= wait
            self._queue(record)
            sent += 1
        self._producer.flush(30)
        return sent

    def _queue(self, record: Due) -> None:
        while not self._stop.is_set():
            try:
                self._producer.produce(record.topic or self._topic, key=record.key, value=record.value)
            except BufferError:  # the broker is slower than this feed, or away: wait for room
                self._producer.poll(0.5)
            else:
                return


def paced(records: Iterable[tuple[bytes | None, bytes]], rate: float) -> Iterator[Due]:
    """Records (key, value) at `rate` per second; 0 or less: as fast as the broker takes them."""
    for number, (key, value) in enumerate(records):
        yield Due(number / rate if rate > 0 else 0.0, key, value)
