"""What a run's engine does with a topic, without Spark: reads it on a real broker at a pace that may be
changed, says every second where it is, and commits to the mirror group with each checkpoint.
"""

import time
from collections.abc import Callable
from typing import Any, Final, Self

from confluent_kafka import Consumer, TopicPartition

from jobs.kafka_messages import PartitionProgress, PositionsReport, ProgressReport, Report, SourceRead
from tests.support.background import Background
from tests.support.run_factories import now_us, state_report
from weir.runs.models import Run

SOURCE: Final = "trades"


class PlayedEngine(Background):
    """Reads until it is left.

    Args:
        bootstrap: of the broker.
        run: whose engine it is.
        topic: of the run's only source.
        partitions: of the topic.
        mirror: the run's mirror group.
        send: sends reports.
        rate: records per second that it reads at most; may be changed.
        commit_s: between two checkpoints.
    """

    def __init__(
        self,
        bootstrap: str,
        run: Run,
        topic: str,
        partitions: int,
        mirror: str,
        send: Callable[..., None],
        rate: float = 1e9,
        commit_s: float = 40.0,
    ) -> None:
        super().__init__()
        self.rate, self.malformed_share = rate, 0.0
        self._run, self._topic, self._send, self._commit_s = run, topic, send, commit_s
        self._consumer: Any = Consumer(
            {"bootstrap.servers": bootstrap, "group.id": mirror, "enable.auto.commit": False, "log_level": 0}
        )
        self._reached = dict.fromkeys(range(partitions), 0)
        self._committed = dict(self._reached)
        self._batch = self._unsaid = 0

    def run(self) -> None:
        """Read, commit and report."""
        self._consumer.assign([TopicPartition(self._topic, number, 0) for number in self._reached])
        said_s = committed_s = before = time.monotonic()
        owed = 0.0
        while not self.stopping.is_set():
            now = time.monotonic()
            owed = min(owed + (now - before) * self.rate, max(self.rate, 1.0))
            before = now
            if owed >= 1:
                for message in self._consumer.consume(min(int(owed), 500), 0.05):
                    if message.error() is None:
                        self._reached[message.partition()] = message.offset() + 1
                        owed, self._unsaid = owed - 1, self._unsaid + 1
            else:
                time.sleep(0.05)
            if now - committed_s >= self._commit_s:
                committed_s = now
                self._commit()
            if now - said_s >= 1:
                said_s = now
                self._say()
        self._consumer.close()

    def _commit(self) -> None:
        self._committed = dict(self._reached)
        offsets = [TopicPartition(self._topic, number, at) for number, at in self._committed.items() if at]
        if offsets:
            self._consumer.commit(offsets=offsets, asynchronous=False)

    def _say(self) -> None:
        cells = {
            number: PartitionProgress(
                committed=self._committed[number],
                fetched=reached,
                end=self._consumer.get_watermark_offsets(
                    TopicPartition(self._topic, number), timeout=5, cached=False
                )[1],
            )
            for number, reached in self._reached.items()
        }
        read, self._unsaid = self._unsaid, 0
        malformed = int(read * self.malformed_share)
        self._batch += 1
        head: dict[str, Any] = {
            "at_us": now_us(),
            "engine_id": self._run.engine_id,
            "incarnation": "inc-1",
            "run_id": self._run.pk,
            "epoch": self._run.epoch,
            "sources": {SOURCE: cells},
        }
        batch = ProgressReport(
            **head,
            batch=self._batch,
            began_us=now_us() - 1_000_000,
            duration_ms=1_000,
            rows_in=read - malformed,
            rows_out=0,
            read={SOURCE: SourceRead(records=read, malformed={"NOT_JSON": malformed} if malformed else {})},
        )
        reports: list[Report] = [PositionsReport(**head), batch]
        self._send(*reports)

    def __enter__(self) -> Self:
        self._send(state_report(self._run, "running"))
        return super().__enter__()
