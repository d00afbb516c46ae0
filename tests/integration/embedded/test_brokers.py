"""The embedded brokers start, serve, and come back after SIGKILL with what they were given."""

from pathlib import Path

import pytest
import redis
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.support.kafka_node import KafkaServer
from tests.support.valkey_node import ValkeyServer

pytestmark = pytest.mark.integration


def test_kafka_keeps_records_across_a_kill(kafka: KafkaServer) -> None:
    kafka.create_topic("brokers.kept", partitions=1)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "acks": "all"})
    producer.produce("brokers.kept", key=b"k", value=b"v")
    assert producer.flush(10) == 0
    del producer

    kafka.kill()
    kafka.start()

    consumer = Consumer(
        {"bootstrap.servers": kafka.bootstrap, "group.id": "none", "enable.auto.commit": False}
    )
    consumer.assign([TopicPartition("brokers.kept", 0, 0)])
    message = consumer.poll(20)
    consumer.close()
    assert message is not None
    assert (message.key(), message.value()) == (b"k", b"v")


def test_valkey_wants_its_password(valkey: ValkeyServer) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        assert client.ping()
    address = valkey.url.rpartition("@")[2]
    with redis.Redis.from_url(f"redis://{address}") as stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()


def test_valkey_starts_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / 'the boss\'s "own" data\\'
    folder.mkdir()
    server = ValkeyServer(folder)
    server.start()
    server.stop()
