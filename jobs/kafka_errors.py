"""What librdkafka's answers mean beyond their text; engine and platform ask brokers the same questions."""

from concurrent.futures import Future
from typing import Any, Final

from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException

# Nobody leads the partition: for a moment after its topic is made, or its broker came back.
LEADERLESS: Final = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)
# The client knows the leader of an earlier time, and does not ask anew by itself: asking for the topic's metadata teaches it.
STALE_METADATA: Final = (KafkaError.FENCED_LEADER_EPOCH, KafkaError.UNKNOWN_LEADER_EPOCH)


def offset_result(future: "Future[Any]", seconds: float | None = None) -> int:
    """The offset that an admin client's ``list_offsets`` found.

    Args:
        future: of one partition.
        seconds: how long to wait; None: as long as the request was given.

    Raises:
        KafkaException: the broker said why not, or did not answer in time, which librdkafka 2.15 tells by no offset and no error.
        TimeoutError: after `seconds`.
    """
    offset = int(future.result(seconds).offset)
    if offset == OFFSET_INVALID:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
    return offset
