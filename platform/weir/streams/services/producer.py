"""Writes records to a stream's topic: all records of a request are validated before the first is sent."""

from typing import Final

import structlog
from confluent_kafka import KafkaError, KafkaException
from django.db import DatabaseError

from jobs.base.problems import Problem
from jobs.connections import ClusterProfile
from weir.clusters.services.clients import shared_producer
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.confirmations import OF_ANOTHER, Confirmations
from weir.clusters.services.reachability import translate_errors
from weir.streams.models import Stream
from weir.streams.services.record_input import NewRecord
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import record_event
from weir.workspaces.services.idle_connections import give_back_connections

_LOG: Final = structlog.get_logger("weir.producer")
PRODUCE_TIMEOUT_S: Final = 15.0
_MAX_ERRORS_SHOWN: Final = 20
_BY_KEY: Final = -1  # librdkafka's "unassigned": its partitioner chooses


def require_valid(errors: list[Problem], total: int) -> None:
    """Refuse a request with invalid records.

    Raises:
        ServiceError: RECORD_MALFORMED, with the first of the errors.
    """
    if errors:
        detail = f"Nothing written: {len(errors)} of {total} records are invalid. First: {errors[0].message}"
        raise ServiceError("RECORD_MALFORMED", detail, tuple(errors[:_MAX_ERRORS_SHOWN]))


def produce(stream: Stream, actor: User, records: list[NewRecord]) -> list[tuple[int, int]]:
    """Write valid records, and return the (partition, offset) of each in order.

    Raises:
        UnreachableError: PARTLY_WRITTEN, some records were written, or may have been: `written` has the
            coordinates of each, null where it was not confirmed, and `unsure` the indexes of those that may
            have been written all the same.
        ServiceError: nothing was written.
    """
    profile = profile_of(stream.cluster)
    sent = send(profile, stream.topic, records)
    # In this order: after a timeout, another thread may still confirm records.
    unsure, coordinates = sent.unsure, tuple(sent.coordinates)
    confirmed = [each for each in coordinates if each is not None]
    if sent.cause is not None and not confirmed and not unsure:
        with translate_errors(profile):
            raise KafkaException(sent.cause)
    if confirmed:
        _audit(stream, actor, len(confirmed))
    if len(confirmed) < len(records):
        reason = sent.cause.str() if sent.cause else f"timed out after {PRODUCE_TIMEOUT_S:.0f} s"
        raise UnreachableError(
            "PARTLY_WRITTEN",
            f"Kafka confirmed only {len(confirmed)} of {len(records)} records: {reason}.",
            more={"written": [_written(each) for each in coordinates], "unsure": unsure},
        )
    return confirmed


def _audit(stream: Stream, actor: User, count: int) -> None:
    """Note that records were written. Where that fails the answer still says where they are: told to try
    again, a program would write them twice.
    """
    try:
        record_event(
            stream.workspace,
            "stream",
            f"{count} records produced to {stream.name}",
            actor=actor.username,
            subject=stream.name,
            action=Action.PRODUCED,
        )
    except DatabaseError as error:
        _LOG.error(
            "produced records are missing in the audit trail",
            workspace=stream.workspace_id,
            stream=stream.name,
            records=count,
            actor=actor.username,
            error=str(error),
        )


def _written(coordinates: tuple[int, int] | None) -> dict[str, int] | None:
    return None if coordinates is None else {"partition": coordinates[0], "offset": coordinates[1]}


def send(profile: ClusterProfile, topic: str, records: list[NewRecord]) -> Confirmations:
    """Write records as they are, unchecked; none behind one that the client itself refuses.

    Args:
        profile: cluster of the topic.
        topic: its name.
        records: the records.

    Returns:
        What the broker confirmed within `PRODUCE_TIMEOUT_S`, and what was refused.

    Raises:
        UnreachableError: the cluster is known to be unreachable.
    """
    waiting = Confirmations(len(records))
    with translate_errors(profile):
        client = shared_producer(profile)
        for number, record in enumerate(records):
            partition = _BY_KEY if record.partition is None else record.partition
            try:
                client.produce(
                    topic,
                    record.value,
                    record.key,
                    partition,
                    waiting.callback(number),
                    timestamp=record.timestamp_ms or 0,  # 0: now
                    headers=list(record.headers),
                )
            except BufferError:
                if number == 0:
                    raise
                _refuse(waiting, range(number, len(records)), KafkaError(KafkaError._QUEUE_FULL))
                break
            except KafkaException as error:
                _refuse(waiting, range(number, number + 1), error.args[0])
                _refuse(waiting, range(number + 1, len(records)), KafkaError(OF_ANOTHER))
                break
        give_back_connections()  # as a scan does
        waiting.wait(client, PRODUCE_TIMEOUT_S)
    return waiting


def _refuse(waiting: Confirmations, numbers: range, error: KafkaError) -> None:
    """Note of records that they were not handed to the client; those before them are on their way."""
    for number in numbers:
        waiting.callback(number)(error, None)
