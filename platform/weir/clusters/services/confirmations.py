"""Waits for what a broker says of records that share a producer with those of others."""

import threading
import time
from typing import Any, Final

from confluent_kafka import KafkaError, Message, Producer

OF_ANOTHER: Final = KafkaError._INVALID_DIFFERENT_RECORD
"""Another record of the same batch or request was refused, and this one was not written either."""


REFUSED: Final = frozenset(
    {
        KafkaError.INVALID_RECORD,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.POLICY_VIOLATION,
        KafkaError.RECORD_LIST_TOO_LARGE,
    }
)
"""Nothing was written, and the same request would be refused again."""
_NOT_WRITTEN: Final = REFUSED | {
    OF_ANOTHER,
    KafkaError._QUEUE_FULL,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
}


class Confirmations:
    """The delivery reports of some records; they may come on another request's thread.

    Attributes:
        coordinates: by number of the record, the partition and offset at which the broker has it; None while
            that is not known, or where it failed.
        failures: by number of the record, why it failed.
    """

    def __init__(self, records: int) -> None:
        self.coordinates: list[tuple[int, int] | None] = [None] * records
        self.failures: dict[int, KafkaError] = {}
        self._delivered = 0
        self._lock = threading.Lock()

    def callback(self, number: int) -> Any:
        """What the producer calls for the record of this number, from 0."""

        def on_delivery(error: KafkaError | None, message: Message) -> None:
            with self._lock:
                self._delivered += 1
                if error is not None:
                    self.failures[number] = error
                else:
                    self.coordinates[number] = (message.partition() or 0, message.offset() or 0)

        return on_delivery

    @property
    def cause(self) -> KafkaError | None:
        """The first failure; if others failed because of it, not one of those."""
        with self._lock:
            failures = list(self.failures.values())
        return next((error for error in failures if error.code() != OF_ANOTHER), next(iter(failures), None))

    @property
    def unsure(self) -> list[int]:
        """Numbers of the records that may have been written: neither confirmed nor refused."""
        with self._lock:
            return [
                number
                for number, at in enumerate(self.coordinates)
                if at is None
                and (number not in self.failures or self.failures[number].code() not in _NOT_WRITTEN)
            ]

    def wait(self, producer: Producer, timeout_s: float) -> bool:
        """Wait for the reports, not for those of other records, as a flush would; False: some are missing."""
        deadline = time.monotonic() + timeout_s
        while not self._is_complete() and time.monotonic() < deadline:
            producer.poll(0.05)
        return self._is_complete()

    def _is_complete(self) -> bool:
        with self._lock:
            return self._delivered >= len(self.coordinates)
