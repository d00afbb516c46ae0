"""A topic in memory that scans read like Kafka: batches of messages, then an end-of-partition event."""

from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka import KafkaError, TopicPartition

from jobs.connections import ClusterProfile
from jobs.formats.contract import StreamContract
from weir.streams.services import scan
from weir.streams.services.ownership import TopicReading
from weir.streams.services.tables import table_scan
from weir.streams.services.topic_ref import TopicRef

PROFILE = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:9")
READING = TopicReading(1, "home", "t")


@dataclass(frozen=True)
class Record:
    """What confluent_kafka's Message says of a record, or of an end."""

    at: int
    number: int
    content: bytes | None
    name: bytes | None
    time_ms: int = 0
    fault: KafkaError | None = None
    header_list: list[tuple[str, bytes | None]] | None = None

    def partition(self) -> int:
        return self.at

    def offset(self) -> int:
        return self.number

    def value(self) -> bytes | None:
        return self.content

    def key(self) -> bytes | None:
        return self.name

    def timestamp(self) -> tuple[int, int]:
        return (2, self.time_ms)

    def error(self) -> KafkaError | None:
        return self.fault

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self.header_list


class FakeTopic:
    """Records by partition; `bunch` of them come at once, whatever is asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, partitions: int = 2, bunch: int = 50) -> None:
        self.records: dict[int, list[Record]] = {partition: [] for partition in range(partitions)}
        self.ends_at: int | None = None  # the log's end, where holes lie behind its last record
        monkeypatch.setattr(
            scan, "consumer", lambda profile, **options: _Reader(self.records, bunch, self.ends_at)
        )
        monkeypatch.setattr(table_scan, "watermarks", lambda profile, topics, **_: self.ends())

    def write(self, key: bytes | None, value: bytes | None, partition: int = 0, time_ms: int = 0) -> None:
        log = self.records[partition]
        log.append(Record(partition, len(log), value, key, time_ms))

    def ends(self) -> dict[tuple[str, int], tuple[int, int]]:
        return {("t", partition): (0, len(log)) for partition, log in self.records.items()}

    def ref(self, contract: StreamContract) -> TopicRef:
        return TopicRef(PROFILE, "t", len(self.records), contract)


class _Reader:
    def __init__(self, records: dict[int, list[Record]], bunch: int, ends_at: int | None) -> None:
        self._records, self._bunch, self._ends_at = records, bunch, ends_at
        self._at: dict[int, int] = {}

    def assign(self, assigned: list[TopicPartition]) -> None:
        self._at = {each.partition: each.offset for each in assigned}

    def consume(self, most: int, timeout: float) -> list[Any]:
        found: list[Any] = []
        for partition, at in list(self._at.items()):
            log = self._records[partition]
            found += log[at : at + self._bunch]
            self._at[partition] = at + self._bunch
            if at + self._bunch >= len(log):
                end = KafkaError(KafkaError._PARTITION_EOF)
                found.append(Record(partition, self._ends_at or len(log), None, None, fault=end))
                del self._at[partition]
        return found

    def close(self) -> None:
        self._at = {}
