"""Meaning of librdkafka's errors, shared by engine and platform."""

from concurrent.futures import Future
from typing import Any, Final

from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException

# The partition has no leader: for a moment after its topic is created, or its broker restarted. _NOENT: no
# partition of a request has one.
LEADERLESS: Final = (
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError._NOENT,
)
# Of one topic or partition alone: the cluster responds, and what else was asked for is answered.
OF_ONE_TOPIC: Final = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_EXCEPTION,
    KafkaError.KAFKA_STORAGE_ERROR,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError.UNKNOWN,  # the broker's own: it couldn't read the partition
)
# The client has an outdated leader epoch and does not refresh it by itself; requesting the topic's metadata
# does.
STALE_METADATA: Final = (KafkaError.FENCED_LEADER_EPOCH, KafkaError.UNKNOWN_LEADER_EPOCH)


def offset_result(future: "Future[Any]", seconds: float | None = None) -> int:
    """The offset that an admin client's ``list_offsets`` found.

    Args:
        future: of one partition.
        seconds: how long to wait; None: until the request times out.

    Raises:
        KafkaException: the request failed or timed out; librdkafka 2.15 reports a timeout as an invalid
            offset without an error.
        TimeoutError: no result after `seconds`.
    """
    offset = int(future.result(seconds).offset)
    if offset == OFFSET_INVALID:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
    return offset
