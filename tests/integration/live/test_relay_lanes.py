"""A topic with much to read gets out of the way of the others, and loses nothing by it."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer

from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from weir.relay.lanes import HEAVY_RECORDS, SLICE_BYTES, SLICE_RECORDS, SLICE_ROWS, Lanes

pytestmark = pytest.mark.integration
LARGE, SMALL = HEAVY_RECORDS + 2 * SLICE_RECORDS, 10


class Reading:
    """What the relay does between two flushes, without a database."""

    def __init__(self, lanes: Lanes, topics: list[str]) -> None:
        self._lanes = lanes
        self.waiting: Counter[str] = Counter()
        self.next = {topic: {0: 0} for topic in topics}

    def interval(self) -> Counter[str]:
        """Records by topic of one interval; each must be the one after the last."""
        read: Counter[str] = Counter()
        for _ in range(20):
            for message in self._lanes.read(0.1):
                topic = message.topic() or ""
                assert message.error() is None
                assert message.offset() == self.next[topic][0]
                self.next[topic][0] += 1
                read[topic] += 1
                self.waiting[topic] += 1
            if self._lanes.slice_read:
                break
        self.waiting.clear()
        self._lanes.rearrange({topic: read[topic] for topic in self.next}, lambda topic: self.next[topic])
        return read


@pytest.fixture
def connect(kafka: KafkaServer) -> Callable[[], Consumer]:
    def connect() -> Consumer:
        client = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "lanes"})
        client.assign([])
        return client

    return connect


@pytest.fixture
def lanes(connect: Callable[[], Consumer]) -> Iterator[Lanes]:
    """Of rows that replace each other, so that few are stored."""
    with closing(Lanes(connect, lambda _: 1)) as made:
        yield made


@pytest.fixture
def topics(kafka: KafkaServer) -> list[str]:
    """A large one and a small one."""
    names = [f"lane-{uuid4().hex[:8]}" for _ in range(2)]
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    for name, records in zip(names, (LARGE, SMALL), strict=True):
        kafka.create_topic(name)
        for number in range(records):
            producer.produce(name, str(number))
            if number % 10_000 == 0:
                producer.flush(20)
    assert producer.flush(20) == 0
    return names


@pytest.mark.parametrize(
    "is_known",
    [
        pytest.param(True, id="heavy from the start", marks=pytest.mark.long),
        pytest.param(False, id="found to be heavy"),
    ],
)
def test_nothing_is_lost_or_doubled_on_the_way_out_and_back(
    lanes: Lanes, topics: list[str], kafka: KafkaServer, is_known: bool
) -> None:
    large, small = topics
    reading = Reading(lanes, topics)
    lanes.assign(reading.next, [large] if is_known else [])
    everything = {large: {0: LARGE}, small: {0: SMALL}}
    wait_until(lambda: reading.interval() is not None and reading.next == everything, 60, "all is read")
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    for number in range(3):  # it is current again
        producer.produce(large, str(number))
        producer.flush(20)
        wait_until(
            lambda now=LARGE + number + 1: reading.interval() is not None and reading.next[large][0] == now,
            30,
            "it is read",
        )


def test_rows_that_are_stored_at_once_are_bounded_where_none_replaces_another(
    connect: Callable[[], Consumer], topics: list[str]
) -> None:
    large, _ = topics
    with closing(Lanes(connect, lambda topic: reading.waiting[topic])) as lanes:
        reading = Reading(lanes, topics)
        lanes.assign(reading.next, [large])
        intervals: list[int] = []
        wait_until(
            lambda: intervals.append(reading.interval()[large]) or sum(intervals) == LARGE, 60, "all is read"
        )
    assert max(intervals) < 2 * SLICE_ROWS


def test_memory_bounds_what_is_read_between_two_flushes(lanes: Lanes, kafka: KafkaServer) -> None:
    topic = f"lane-{uuid4().hex[:8]}"
    kafka.create_topic(topic)
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    value, records = b"x" * 900_000, 3 * SLICE_BYTES // 900_000
    for _ in range(records):
        producer.produce(topic, value)
        producer.poll(0)
    assert producer.flush(60) == 0
    reading = Reading(lanes, [topic])
    lanes.assign(reading.next, [])
    intervals: list[int] = []
    wait_until(
        lambda: intervals.append(reading.interval()[topic]) or sum(intervals) == records, 120, "all is read"
    )
    assert max(intervals) < 2 * SLICE_BYTES // 900_000
