"""Waits for what a broker says of records that share a producer with those of others."""

import threading
import time
from typing import Any

from confluent_kafka import KafkaError, Message, Producer


class Confirmations:
    """The delivery reports of some records; they may come on another request's thread.

    Attributes:
        coordinates: by number of the record, the partition and offset at which the broker has it; None while
            that is not known, or where it failed.
        failures: of the records that failed.
    """

    def __init__(self, records: int) -> None:
        self.coordinates: list[tuple[int, int] | None] = [None] * records
        self.failures: list[KafkaError] = []
        self._delivered = 0
        self._lock = threading.Lock()

    def callback(self, number: int) -> Any:
        """What the producer calls for the record of this number, from 0."""

        def on_delivery(error: KafkaError | None, message: Message) -> None:
            with self._lock:
                self._delivered += 1
                if error is not None:
                    self.failures.append(error)
                else:
                    self.coordinates[number] = (message.partition() or 0, message.offset() or 0)

        return on_delivery

    def wait(self, producer: Producer, timeout_s: float) -> bool:
        """Wait for the reports, not for those of other records, as a flush would; False: some are missing."""
        deadline = time.monotonic() + timeout_s
        while not self._is_complete() and time.monotonic() < deadline:
            producer.poll(0.05)
        return self._is_complete()

    def _is_complete(self) -> bool:
        with self._lock:
            return self._delivered >= len(self.coordinates)
