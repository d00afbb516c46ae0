"""Topics that may be written to at once, and all that is in one."""

from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from jobs.broker_answers import answered_offset
from tests.support.processes import wait_until

ANSWER_SECONDS = 60  # a broker beside two Spark sessions on two cores may be kept waiting itself


def create_topic(bootstrap: str, name: str, partitions: int = 1, settings: Mapping[str, str] | None = None) -> None:
    """Create a topic and wait until every partition of it has its leader: before, a producer may lose its first batch.

    Args:
        bootstrap: servers.
        name: of the topic.
        partitions: how many.
        settings: topic settings, by Kafka's names.
    """
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(name, partitions, 1, config=dict(settings or {}))])[name].result(ANSWER_SECONDS)
    ends = {TopicPartition(name, partition): OffsetSpec.latest() for partition in range(partitions)}

    def led() -> bool:
        try:
            for answer in admin.list_offsets(ends).values():
                answered_offset(answer, ANSWER_SECONDS)
        except KafkaException:
            return False
        return True

    wait_until(led, ANSWER_SECONDS, f"topic {name} is led")


def records_of(bootstrap: str, topic: str) -> Iterator[Message]:
    """The records that a topic holds now, those of aborted transactions left out; each partition in its order."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "tests", "enable.auto.commit": False, "enable.partition.eof": True})
    try:
        partitions = consumer.list_topics(topic, timeout=ANSWER_SECONDS).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
        open_ = set(partitions)
        while open_:
            message = consumer.poll(ANSWER_SECONDS)
            assert message is not None, f"nothing came of {topic} for {ANSWER_SECONDS} s"
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:
                open_.discard(message.partition())
            else:
                raise KafkaException(error)
    finally:
        consumer.close()
