"""How long no result came: from the Kafka timestamps of a job's result topic."""

from itertools import pairwise

from confluent_kafka import Consumer, TopicPartition

from jobs.kafka_messages import result_topic
from tests.support.system import System


def longest_gap_s(system: System, job_id: str, since_us: int, until_us: int) -> float:
    """The longest time without a result between two instants (µs), in seconds."""
    topic = result_topic(job_id, 1)
    options = {**system.kafka_options, "bootstrap.servers": system.bootstrap, "group.id": "gaps"}
    consumer = Consumer({**options, "enable.auto.commit": False, "log_level": 2})
    try:
        partitions = consumer.list_topics(topic, 10).topics[topic].partitions
        asked = [TopicPartition(topic, number, since_us // 1_000) for number in partitions]
        starts = [each for each in consumer.offsets_for_times(asked, 10) if each.offset >= 0]
        left = {
            each.partition: consumer.get_watermark_offsets(each, 10)[1]
            for each in starts
            if consumer.get_watermark_offsets(each, 10)[1] > each.offset
        }
        consumer.assign([each for each in starts if each.partition in left])
        times = [since_us // 1_000, until_us // 1_000]
        while left:
            message = consumer.poll(10)
            assert message is not None, "the results can be read"
            if message.error() is not None:
                continue
            times.append(message.timestamp()[1])
            if (message.offset() or 0) + 1 >= left[message.partition() or 0]:
                del left[message.partition() or 0]
    finally:
        consumer.close()
    inside = sorted(at for at in times if since_us // 1_000 <= at <= until_us // 1_000)
    return max(after - before for before, after in pairwise(inside)) / 1_000
