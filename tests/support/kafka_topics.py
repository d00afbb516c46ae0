"""Topics that may be written to at once, and all that is in one."""

from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from jobs.kafka_errors import offset_result
from tests.support.processes import wait_until

Servers = str | Mapping[str, str]
"""Bootstrap servers, or all options by which a client connects."""

ANSWER_SECONDS = 60  # a broker beside two Spark sessions on two cores may be kept waiting itself


def answers(bootstrap: Servers, seconds: float = 1) -> bool:
    """True when a broker lets this client in and answers in time; what the client logs is left out."""
    try:
        AdminClient({**_options(bootstrap), "log_level": "0"}).list_topics(timeout=seconds)
    except KafkaException:
        return False
    return True


def create_topic(
    bootstrap: Servers, name: str, partitions: int = 1, settings: Mapping[str, str] | None = None
) -> None:
    """Create a topic and wait for the leaders of all partitions.

    Earlier, a producer may lose its first batch.

    Args:
        bootstrap: servers, or how to connect.
        name: of the topic.
        partitions: how many.
        settings: topic settings, by Kafka's names.
    """
    admin = AdminClient(_options(bootstrap))
    admin.create_topics([NewTopic(name, partitions, 1, config=dict(settings or {}))])[name].result(
        ANSWER_SECONDS
    )
    await_leaders(bootstrap, name, partitions)


def await_leaders(bootstrap: Servers, name: str, partitions: int) -> None:
    """Wait until every partition of a topic has its leader."""
    admin = AdminClient(_options(bootstrap))
    ends = {TopicPartition(name, partition): OffsetSpec.latest() for partition in range(partitions)}

    def led() -> bool:
        try:
            for answer in admin.list_offsets(ends).values():
                offset_result(answer, ANSWER_SECONDS)
        except KafkaException:
            return False
        return True

    wait_until(led, ANSWER_SECONDS, f"topic {name} is led")


def delete_topic(bootstrap: Servers, name: str) -> None:
    """Delete a topic and wait until the broker no longer lists its id.

    It answers before, and would reject a new one.
    """
    admin = AdminClient(_options(bootstrap))
    before = topic_id(bootstrap, name)
    admin.delete_topics([name], operation_timeout=ANSWER_SECONDS)[name].result(ANSWER_SECONDS)
    wait_until(
        lambda: topic_id(bootstrap, name) != before,
        ANSWER_SECONDS,
        f"topic {name} is gone, whose id was {before}",
    )


def recreate_topic(bootstrap: Servers, name: str, partitions: int = 1) -> None:
    """Delete a topic and create another of its name; somebody who follows it may be quicker."""
    delete_topic(bootstrap, name)
    try:
        create_topic(bootstrap, name, partitions)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise
        await_leaders(bootstrap, name, partitions)


def topic_id(bootstrap: Servers, name: str) -> str | None:
    """The id that Kafka gave a topic; None where there is none."""
    admin = AdminClient(_options(bootstrap))
    try:
        return str(admin.describe_topics(TopicCollection([name]))[name].result(ANSWER_SECONDS).topic_id)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise
        return None


def records_of(bootstrap: Servers, topic: str) -> Iterator[Message]:
    """The records in a topic, without those of aborted transactions; each partition in its order."""
    consumer = Consumer(
        {
            **_options(bootstrap),
            "group.id": "tests",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
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


def _options(bootstrap: Servers) -> dict[str, str]:
    return {"bootstrap.servers": bootstrap} if isinstance(bootstrap, str) else dict(bootstrap)
