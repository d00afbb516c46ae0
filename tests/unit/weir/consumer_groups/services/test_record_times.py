"""Timestamps of records, from what a consumer gives; with a real broker it is `test_group_watch.py`."""

from typing import Any

import pytest
from confluent_kafka import TIMESTAMP_CREATE_TIME

from jobs.connections import ClusterProfile
from weir.consumer_groups.services import record_times
from weir.consumer_groups.services.record_times import RecordTimes


class Message:
    def __init__(self, partition: int, error: str | None = None) -> None:
        self._partition, self._error = partition, error

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return self._partition

    def error(self) -> str | None:
        return self._error

    def timestamp(self) -> tuple[int, int]:
        return TIMESTAMP_CREATE_TIME, 7


class Consumer:
    def __init__(self, *messages: Message) -> None:
        self._messages = list(messages)
        self.empty_polls = 0

    def assign(self, _partitions: Any) -> None: ...

    def unassign(self) -> None: ...

    def consume(self, _count: int, _timeout_s: float) -> list[Message]:
        self.empty_polls += not self._messages
        given, self._messages = self._messages, []
        return given


def test_nobody_waits_for_a_partition_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Consumer(Message(0, "TOPIC_AUTHORIZATION_FAILED"), Message(1), Message(1), Message(2))
    monkeypatch.setattr(record_times, "consumer", lambda *_, **__: given)
    times = RecordTimes(ClusterProfile(cluster_id="one", bootstrap="b:1"))
    assert times.read([(("t", 0), 5), (("t", 1), 6)]) == {(("t", 1), 6): 7_000}
    assert given.empty_polls == 0
