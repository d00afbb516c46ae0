"""Writing records to a stream's topic: all of a request are checked against the contract before the first is sent."""

import base64
import binascii
import json
import threading
import time
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message

from jobs.base.problems import Problem, problem
from jobs.connections import ClusterProfile
from jobs.formats.avro_from_json import NotWritableError
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.reasons import MAX_BYTES
from jobs.formats.records import Malformed
from weir.clusters.clients import shared_producer
from weir.clusters.topics import asking
from weir.streams.models import Stream
from weir.streams.places import Place, place_of
from weir.streams.written_values import WrittenValue
from weir.workspaces.models import User
from weir.workspaces.refusals import RefusalError, UnreachableError
from weir.workspaces.services import record_event

WAIT_S: Final = 15.0
_MOST_TOLD: Final = 20
_BY_KEY: Final = -1  # librdkafka's "unassigned": its partitioner chooses


@dataclass(frozen=True)
class NewRecord:
    """A record to write; None is Kafka's null. `partition` None: by the key, as Kafka's own clients choose."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int | None = None


def new_record(given: dict[str, Any], place: int, avro: WrittenValue | None = None) -> NewRecord:
    """A record from the API's form: ``value`` a JSON value (a text is taken as it is), or its bytes as ``value_base64``.

    Args:
        given: checked by the API's serializer.
        place: in the request, from 0.
        avro: how objects are written where records are Avro.

    Raises:
        RefusalError: base64 that is none, or an object that does not fit the Avro schema.
    """
    value = given.get("value")
    if avro is not None and isinstance(value, dict):
        raw: bytes | None = _encoded(value, place, avro)
    else:
        text = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        raw = _raw(given.get("value_base64"), place, "value_base64")
        raw = raw if raw is not None or text is None else text.encode()
    key = given.get("key")
    return NewRecord(
        value=raw,
        key=_raw(given.get("key_base64"), place, "key_base64") if key is None else key.encode(),
        headers=tuple((header["name"], header["value"].encode()) for header in given.get("headers") or ()),
        partition=given.get("partition"),
    )


def _encoded(value: dict[str, Any], place: int, avro: WrittenValue) -> bytes:
    try:
        return avro(value)
    except NotWritableError as error:
        fault = problem("PARAMETER_RANGE", ("records", str(place), "value"), f"Record {place + 1} does not fit the schema: {error}")
        raise RefusalError("RECORD_MALFORMED", fault.message, (fault,)) from error


def _raw(text: str | None, place: int, name: str) -> bytes | None:
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        fault = problem("PARAMETER_RANGE", ("records", str(place), name), f"{name} is no base64.")
        raise RefusalError("RECORD_MALFORMED", f"Record {place + 1}: {fault.message}", (fault,)) from error


def produce(stream: Stream, actor: User, records: list[NewRecord]) -> list[tuple[int, int]]:
    """Write records; where each of them lies now, as (partition, offset) in order.

    Raises:
        RefusalError: records do not fit the contract (none is written; those that do not are named), or a partition is not there.
        UnreachableError: the cluster did not confirm all of them in time; the message says how many it did.
    """
    place = place_of(stream)
    _check(stream, place, records)
    profile = place.profile
    places, failures = send(profile, stream.topic, records)
    confirmed = [place for place in places if place is not None]
    if failures and not confirmed:
        with asking(profile):
            raise KafkaException(failures[0])
    if len(confirmed) < len(records):
        why = failures[0].str() if failures else f"it did not answer within {WAIT_S:.0f} s"
        raise UnreachableError("PARTLY_WRITTEN", f"The cluster confirmed {len(confirmed)} of {len(records)} records: {why}.")
    record_event(
        stream.workspace, "stream", f"{len(records)} records were written to {stream.name}", actor=actor.username, subject=stream.name
    )
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


def _check(stream: Stream, place: Place, records: list[NewRecord]) -> None:
    contract, now_us = stream.stream_contract, time.time_ns() // 1000
    found = (_fault(stream, place, contract, record, number, now_us) for number, record in enumerate(records))
    faults = [fault for fault in found if fault is not None]
    if faults:
        detail = f"{len(faults)} of {len(records)} records do not fit the contract, so none was written. The first: {faults[0].message}"
        raise RefusalError("RECORD_MALFORMED", detail, tuple(faults[:_MOST_TOLD]))


def _fault(stream: Stream, place: Place, contract: StreamContract, record: NewRecord, number: int, now_us: int) -> Problem | None:
    path = ("records", str(number))
    if record.partition is not None and record.partition >= stream.partitions:
        return problem(
            "PARAMETER_RANGE", (*path, "partition"), f"Record {number + 1}: {stream.topic} has partitions 0 to {stream.partitions - 1}."
        )
    if len(record.key or b"") > MAX_BYTES:
        return problem("PARAMETER_RANGE", (*path, "key"), f"Record {number + 1}: the key is larger than {MAX_BYTES} bytes.")
    found = decode(record.value, record.key, contract, now_us, place.schema_of, headers=record.headers)
    if not isinstance(found, Malformed):
        return None
    return problem("PARAMETER_RANGE", (*path, "value"), f"Record {number + 1} is malformed ({found.reason}): {found.detail}")
