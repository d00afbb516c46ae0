"""Writing records to a stream's topic: all of a request are checked against the contract before the first is sent."""

import threading
import time
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message

from jobs.base.problems import Problem
from jobs.connections import ClusterProfile
from weir.clusters.clients import shared_producer
from weir.clusters.services import profile_of
from weir.clusters.topics import asking
from weir.streams.models import Stream
from weir.streams.new_records import NewRecord
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import User
from weir.workspaces.services import record_event

WAIT_S: Final = 15.0
_MOST_TOLD: Final = 20
_BY_KEY: Final = -1  # librdkafka's "unassigned": its partitioner chooses


def require_fit(faults: list[Problem], of: int) -> None:
    """Refuse records of which some do not fit.

    Raises:
        ServiceError: RECORD_MALFORMED, with the first of the faults.
    """
    if faults:
        detail = f"Nothing written: {len(faults)} of {of} records are invalid. First: {faults[0].message}"
        raise ServiceError("RECORD_MALFORMED", detail, tuple(faults[:_MOST_TOLD]))


def produce(stream: Stream, actor: User, records: list[NewRecord]) -> list[tuple[int, int]]:
    """Write records that fit the contract; where each of them lies now, as (partition, offset) in order.

    Raises:
        UnreachableError: the cluster did not confirm all of them in time; the message says how many it did.
    """
    profile = profile_of(stream.cluster)
    places, failures = send(profile, stream.topic, records)
    confirmed = [place for place in places if place is not None]
    if failures and not confirmed:
        with asking(profile):
            raise KafkaException(failures[0])
    if len(confirmed) < len(records):
        why = failures[0].str() if failures else f"timed out after {WAIT_S:.0f} s"
        raise UnreachableError("PARTLY_WRITTEN", f"Kafka confirmed only {len(confirmed)} of {len(records)} records: {why}.")
    record_event(stream.workspace, "stream", f"{len(records)} records produced to {stream.name}", actor=actor.username, subject=stream.name)
    return confirmed


def send(profile: ClusterProfile, topic: str, records: list[NewRecord]) -> tuple[list[tuple[int, int] | None], list[KafkaError]]:
    """Write records as they are, unchecked.

    Args:
        profile: cluster of the topic.
        topic: where to.
        records: what.

    Returns:
        Where each record lies now, None where the broker did not confirm it within `WAIT_S`; and what it refused.

    Raises:
        UnreachableError: the cluster is known not to answer.
    """
    places: list[tuple[int, int] | None] = [None] * len(records)
    failures: list[KafkaError] = []
    with asking(profile):
        client = shared_producer(profile)
        waiting = _Confirmations(places, failures)
        for number, record in enumerate(records):
            where = _BY_KEY if record.partition is None else record.partition
            client.produce(topic, record.value, record.key, where, waiting.callback(number), headers=list(record.headers))
        deadline = time.monotonic() + WAIT_S
        while not waiting.complete and time.monotonic() < deadline:
            client.poll(0.05)
    return places, failures


class _Confirmations:
    """Collects what the broker says of each record; callbacks may come on another request's thread."""

    def __init__(self, places: list[tuple[int, int] | None], failures: list[KafkaError]) -> None:
        self._places = places
        self._failures = failures
        self._heard = 0
        self._lock = threading.Lock()

    @property
    def complete(self) -> bool:
        with self._lock:
            return self._heard >= len(self._places)

    def callback(self, number: int) -> Any:
        def heard(error: KafkaError | None, message: Message) -> None:
            with self._lock:
                self._heard += 1
                if error is not None:
                    self._failures.append(error)
                else:
                    self._places[number] = (message.partition() or 0, message.offset() or 0)

        return heard
