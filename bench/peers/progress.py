"""How far a peer has read."""

import json
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

_COORDINATOR_COMES: Final = (
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
)


def committed_records(consumer: Consumer, topic: str, partitions: int) -> int:
    """The records that a consumer's group has committed; 0 while the group is being formed.

    Raises:
        KafkaException: the broker does not answer.
    """
    asked = [TopicPartition(topic, number) for number in range(partitions)]
    try:
        committed = consumer.committed(asked, 10)
    except KafkaException as error:
        if error.args[0].retriable() or error.args[0].code() in _COORDINATOR_COMES:
            return 0
        raise
    return sum(max(one.offset, 0) for one in committed)


def checkpointed_records(checkpoint: Path, topic: str) -> int:
    """The records of the last batch that a Spark query has committed, and of all before it."""
    done = [int(path.name) for path in (checkpoint / "commits").glob("[0-9]*")]
    if not done:
        return 0
    last = (checkpoint / "offsets" / str(max(done))).read_text().splitlines()[-1]
    offsets: dict[str, int] = json.loads(last)[topic]
    return sum(offsets.values())
