"""What an engine that starts takes of the records of a run."""

from contextlib import closing
from typing import Any, cast

from confluent_kafka import KafkaError

from jobs.engine.desired_runs import Change, DesiredRuns
from jobs.kafka_messages import DesiredRun
from tests.support.desired_runs import HOME, desired_run


class Record:
    """A record of the topic, or its end."""

    def __init__(self, value: bytes | None = None, *, end: bool = False) -> None:
        self._value = value
        self._error = KafkaError(KafkaError._PARTITION_EOF) if end else None

    def error(self) -> KafkaError | None:
        return self._error

    def key(self) -> bytes:
        return b"r"

    def value(self) -> bytes | None:
        return self._value

    def offset(self) -> int:
        return 0


def read(*values: DesiredRun | bytes | None) -> list[Change]:
    found: list[Change] = []
    written = [
        value.model_dump_json().encode() if isinstance(value, DesiredRun) else value for value in values
    ]
    with closing(DesiredRuns(HOME, "tests")) as desired:
        for record in (*map(Record, written), Record(end=True)):
            found += desired._read(cast(Any, record))
    return found


STOPPED = desired_run({}, epoch=2, revision=4, state="stopped")
LATE = desired_run({}, epoch=2, revision=3)


def test_of_two_that_were_published_at_the_same_time_the_newer_counts() -> None:
    """Else it would begin with an epoch that is stopped, beside the next one on another engine."""
    assert read(desired_run({}, epoch=1, revision=9), STOPPED, LATE) == [("r", STOPPED)]
    assert read(LATE, STOPPED) == [("r", STOPPED)]


def test_what_is_no_run_counts_where_it_is_the_last() -> None:
    assert read(STOPPED, None) == [("r", None)]
    assert read(None, LATE) == [("r", LATE)]
    assert read(STOPPED, b"of another version") == []
