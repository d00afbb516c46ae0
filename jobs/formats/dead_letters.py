"""Headers of dead letters and of redriven records.

A dead letter lies in its validator's own topic (`jobs.kafka_messages.dead_letter_topic`): its value is the
record's value, byte for byte, its key the coordinates. Headers that begin with `PREFIX` say the rest; the
record's own headers stand before them. The same coordinates may lie there more than once, because Spark's
Kafka sink writes at least once: readers keep the first by topic id, partition and offset.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from jobs.base.storable import NUL

PREFIX: Final = "weir-dead-"
TOPIC: Final = PREFIX + "topic"
TOPIC_ID: Final = PREFIX + "topic-id"  # Kafka's UUID: a recreated topic has other records at the same offsets
PARTITION: Final = PREFIX + "partition"
OFFSET: Final = PREFIX + "offset"
TIMESTAMP: Final = PREFIX + "timestamp"  # Kafka's own of the record, in ms
REJECTED_BY: Final = PREFIX + "rejected-by"
REASON: Final = PREFIX + "reason"
KEY: Final = PREFIX + "key"  # the record's key, byte for byte; absent where it has none
TRUNCATED: Final = (
    PREFIX + "truncated"
)  # the value's original size in bytes; only where it was too large to be kept whole

REDRIVEN: Final = "weir-redriven-"
REDRIVEN_FROM: Final = REDRIVEN + "from"  # topic/partition/offset at which the record failed last
REDRIVEN_BY: Final = REDRIVEN + "by"  # the redrive's id
REDRIVEN_TIMES: Final = REDRIVEN + "times"  # how often it has been sent again, this time included

REJECTED_BY_DECODING: Final = "decode"
MAX_VALUE_BYTES: Final = (
    30 * 1024 * 1024
)  # a longer value would not fit a message; of such only the beginning is kept
TRUNCATED_BYTES: Final = 1_000_000


def foreign_topic_text(topic: str) -> str:
    """Message for users if a topic with the name of a validator's dead-letter topic was not created by the
    service.

    Args:
        topic: its name.
    """
    return (
        f"Topic {topic} wasn't created by contract validation, so nothing is written to it. Delete it "
        "with a Kafka tool, then turn contract validation on again."
    )


Headers = Iterable[tuple[str, bytes | None]]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What the headers of a dead letter say.

    Attributes:
        topic: where the record lies.
        topic_id: Kafka's UUID of that topic.
        partition: of the record.
        offset: of the record.
        timestamp_ms: Kafka's own timestamp of the record.
        rejected_by: what rejected it.
        reason: one of `jobs.formats.malformed_reasons.REASONS`.
        key: the record's key; None where it had none.
        redrive_count: how often it had been sent again before it failed here.
        original_size: of the value in bytes, where only its beginning was kept; else None.
    """

    topic: str
    topic_id: str
    partition: int
    offset: int
    timestamp_ms: int
    rejected_by: str
    reason: str
    key: bytes | None
    redrive_count: int
    original_size: int | None

    @property
    def coordinates(self) -> str:
        """The record's coordinates as `REDRIVEN_FROM` writes them."""
        return f"{self.topic}/{self.partition}/{self.offset}"


def parse_headers(headers: Headers) -> DeadLetter | None:
    """What the headers of a record in a dead-letter topic say; None for a record that no validator wrote."""
    found = dict(headers)
    try:
        return DeadLetter(
            topic=_text(found, TOPIC),
            topic_id=_text(found, TOPIC_ID),
            partition=int(_text(found, PARTITION)),
            offset=int(_text(found, OFFSET)),
            timestamp_ms=int(_text(found, TIMESTAMP)),
            rejected_by=_text(found, REJECTED_BY),
            reason=_text(found, REASON),
            key=found.get(KEY),
            redrive_count=redrive_count(found.items()),
            original_size=int(_text(found, TRUNCATED)) if TRUNCATED in found else None,
        )
    except (KeyError, ValueError):
        return None


def original_headers(headers: Headers) -> list[tuple[str, bytes | None]]:
    """The headers that the record came with, without those that validators and redrives set."""
    return [(name, value) for name, value in headers if not name.startswith((PREFIX, REDRIVEN))]


def redriven_headers(
    headers: Headers, dead_letter: DeadLetter, redrive: str
) -> list[tuple[str, bytes | None]]:
    """The headers of a record that is sent again.

    Args:
        headers: of the dead letter.
        dead_letter: what they say.
        redrive: the redrive's id.
    """
    added = {
        REDRIVEN_FROM: dead_letter.coordinates,
        REDRIVEN_BY: redrive,
        REDRIVEN_TIMES: str(dead_letter.redrive_count + 1),
    }
    return [*original_headers(headers), *((name, text.encode()) for name, text in added.items())]


def redrive_count(headers: Headers) -> int:
    """How often a record has been sent again; 0 where it says nothing readable."""
    said = dict(headers).get(REDRIVEN_TIMES) or b"0"
    return int(said) if said.isdigit() and len(said) < 7 else 0


def coordinates_key(topic: str, partition: int, offset: int) -> str:
    """The key of a dead letter: the record's coordinates as a JSON array without blanks."""
    return json.dumps([topic, partition, offset], separators=(",", ":"))


def _text(headers: dict[str, bytes | None], name: str) -> str:
    value = headers[name]
    if value is None:
        raise ValueError(f"the header {name} is empty")
    text = value.decode()
    if NUL in text:
        raise ValueError(f"the header {name} has a NUL character")
    return text
