"""What a record of a script is: the values of a row, and marks beside them that are no fields."""

from collections.abc import Iterable
from typing import Any, Final

from tests.oracle.event_times import deletion_time, event_time, heartbeat_time

TOMBSTONE: Final = "__tombstone__"
"""A table's deletion: under this name stand the fields of the key."""
PARTITION: Final = "__partition__"
"""Where the record lies; without it in partition 0."""
HEARTBEAT: Final = "__heartbeat__"
"""The text of the header of a heartbeat record, which may hold anything beside it."""
MARKS: Final = (PARTITION, HEARTBEAT)


def has_heartbeats(batches: Iterable[dict[str, list[tuple[int, dict[str, Any]]]]]) -> bool:
    """True when one of the records is a heartbeat."""
    return any(HEARTBEAT in values for batch in batches for sent in batch.values() for _, values in sent)


def fields_of(values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a row, or beside a heartbeat, without marks."""
    return {name: value for name, value in values.items() if name not in MARKS}


def time_of(contract: dict[str, Any], values: dict[str, Any], timestamp: int) -> int | None:
    """The event time of a record, or the instant of a heartbeat, in µs; None: it has none, and is malformed.

    Args:
        contract: of the stream or table.
        values: of the record, with its marks.
        timestamp: Kafka's, in µs.
    """
    if HEARTBEAT in values:
        return heartbeat_time(contract, values[HEARTBEAT], timestamp)
    if TOMBSTONE in values:
        return deletion_time(contract, values[TOMBSTONE], timestamp)
    return event_time(contract, values, timestamp)
