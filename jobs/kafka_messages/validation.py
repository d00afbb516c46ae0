"""Counts of validators."""

from typing import Literal

from jobs.kafka_messages.message import Message
from jobs.kafka_messages.run_report import RunReport


class ValidatedRange(Message):
    """Counts of one batch of a validator in one partition. `first` and `last` are offsets, both inclusive.

    Every record in between is counted once: `valid`, `malformed` by reason, or `skipped` (heartbeats,
    deletions in change events).
    """

    partition: int
    first: int
    last: int
    valid: int = 0
    skipped: int = 0
    malformed: dict[str, int] = {}


class ValidationReport(RunReport):
    """Counts of a validator's batch, published after its dead letters and before the batch is committed.

    A repeated batch has the same ranges and counts: readers store each range once.
    """

    type: Literal["validation"] = "validation"
    batch: int
    topic_id: str
    ranges: tuple[ValidatedRange, ...]
