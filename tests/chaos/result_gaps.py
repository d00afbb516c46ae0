"""How long no result came: from the Kafka timestamps of a job's result topic."""

from itertools import pairwise

from confluent_kafka import Consumer, TopicPartition

from tests.support.result_topics import result_topic_of
from tests.support.system import System


def longest_gap_s(system: System, job_id: str, since_us: int, until_us: int) -> float:
    """The longest time without a result between two instants (µs), in seconds."""
    topic = result_topic_of(system.kafka_options, job_id)
    options = {**system.kafka_options, "group.id": "gaps", "enable.auto.commit": False, "log_level": 2}
    consumer = Consumer(options)
    try:
        times = _times_ms(consumer, topic, since_us // 1_000)
    finally:
        consumer.close()
    first, last = since_us // 1_000, until_us // 1_000
    inside = sorted([first, *(at for at in times if first <= at <= last), last])
    return max(after - before for before, after in pairwise(inside)) / 1_000


def _times_ms(consumer: Consumer, topic: str, since_ms: int) -> list[int]:
    """The timestamps of all records of a topic that were written since an instant."""
    partitions = consumer.list_topics(topic, 10).topics[topic].partitions
    asked = [TopicPartition(topic, number, since_ms) for number in partitions]
    starts = {each.partition: each.offset for each in consumer.offsets_for_times(asked, 10)}
    ends = {each.partition: consumer.get_watermark_offsets(each, 10)[1] for each in asked}
    # Without a later record a partition has no offset for a time, which is negative.
    left = {number for number, start in starts.items() if 0 <= start < ends[number]}
    consumer.assign([TopicPartition(topic, number, starts[number]) for number in sorted(left)])
    times: list[int] = []
    while left:
        message = consumer.poll(10)
        assert message is not None, "the results can be read"
        offset, partition = message.offset(), message.partition()
        if message.error() is not None or offset is None or partition is None:
            continue
        times.append(message.timestamp()[1])
        if offset + 1 >= ends[partition]:
            left.discard(partition)
    return times
