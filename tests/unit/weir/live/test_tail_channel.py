"""Where a tail goes on after its topic could not be read, without a broker."""

import asyncio
import contextlib
import time
from typing import Any, cast

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Message

from jobs.connections import ClusterProfile
from tests.support.fake_topic import READING, Record
from tests.support.processes import free_ports
from weir.clusters.services import clients
from weir.clusters.services.topics import TopicInfo
from weir.live import shared_consumer, tail_channel
from weir.live.blocking_pool import BlockingPool
from weir.live.lookups import StreamInfo
from weir.live.tail_channel import BATCH_FILTER_TIME_S, TailChannel, TailSubscription, TailTopic
from weir.live.tail_view import Chosen
from weir.streams.services.large_batches import large_batches


def test_goes_on_where_it_was() -> None:
    tail = TailTopic({0: 10, 1: 20}, frozenset())
    tail.read([Record(0, 10, b"", None), Record(0, 11, b"", None)])
    tail.lost(0, "topic_gone")
    assert tail.broken
    assert tail.resume_offsets({0: 0, 1: 0, 2: 1}, {0: 15, 1: 25, 2: 3}) == {0: 12, 1: 20, 2: 1}


def test_another_topic_of_the_name_is_read_from_its_end() -> None:
    tail = TailTopic({0: 10}, frozenset())
    tail.lost(0, "topic_gone")
    assert tail.resume_offsets({0: 0}, {0: 4}) == {0: 4}


def test_what_retention_took_is_passed_over() -> None:
    tail = TailTopic({0: 10}, frozenset())
    tail.lost(0, "below_start")
    tail.lost(0, "topic_gone")
    assert tail.resume_offsets({0: 80}, {0: 90}) == {0: 90}


class SlowView:
    """A filter that takes so much processor time per batch."""

    chooses = True

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def choose(self, messages: list[Message]) -> Chosen:
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            pass
        return Chosen(len(messages), len(messages), messages)


async def test_filters_of_many_readers_share_the_time_of_a_batch_and_take_turns() -> None:
    nothing: Any = None
    views: list[Any] = [SlowView(BATCH_FILTER_TIME_S / 5) for _ in range(40)]
    readers = [TailSubscription(nothing, at, READING, view, 10) for at, view in enumerate(views)]
    tail = TailTopic({0: 0}, frozenset(readers), allowed=lambda wanted: wanted)
    batch: Any = [Record(0, 0, b"", None)]
    seen: set[int] = set()
    rounds = 0
    while len(seen) < len(readers):
        began = time.thread_time()
        found = tail.read(batch)
        assert time.thread_time() - began < 2 * BATCH_FILTER_TIME_S
        assert {chosen.arrived for _, chosen in found} == {1}, "who is not served learns what arrived"
        served = {reader.id for reader, chosen in found if chosen.evaluated}
        assert not served & seen or len(seen) > len(readers) - len(served), (
            "nobody is served twice before all"
        )
        seen |= served
        rounds += 1
    assert rounds > 3


async def test_who_may_no_longer_read_a_topic_gets_nothing_of_a_batch() -> None:
    """The topic was deleted and made by another workspace since the batch before; rights are read later."""
    nothing: Any = None
    reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10)
    tail = TailTopic({0: 0}, frozenset({reader}), allowed=lambda wanted: ())
    assert tail.read([Record(0, 0, b"theirs", None)]) == []


async def test_what_nobody_may_see_while_owners_are_unknown_is_counted() -> None:
    """Shown or counted, says the protocol."""
    nothing: Any = None
    reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10)
    tail = TailTopic({0: 0}, frozenset({reader}), allowed=lambda wanted: None)
    ((found, chosen),) = tail.read([Record(0, 0, b"theirs", None), Record(0, 1, b"theirs", None)])
    assert (found, chosen) == (reader, Chosen(2, 0, []))


def test_a_topic_with_a_large_batch_leaves_the_consumer_of_the_others() -> None:
    """It goes on where it was, with the consumer that only such topics share."""
    tail = TailTopic({0: 0}, frozenset())
    tail.read([Record(0, at, b"x" * 900_000, None) for at in range(36)])
    assert not tail.broken, "as large as what several fetches bring"
    tail.read([Record(0, at, b"x" * 900_000, None) for at in range(36, 76)])
    assert (tail.broken, tail.large) == (True, True)
    assert tail.resume_offsets({0: 0}, {0: 800}) == {0: 76}
    alone = TailTopic({0: 0}, frozenset(), on_large_consumer=True)
    alone.read([Record(0, at, b"x" * 900_000, None) for at in range(40)])
    assert not alone.broken


class Cluster:
    """A cluster whose topics are described, but whose broker never answers the consumers of its tails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        (port,) = free_ports(1)
        self.profile = ClusterProfile(cluster_id="home", bootstrap=f"127.0.0.1:{port}")
        self.made_anew: set[str] = set()  # topics
        self.partitions = 1  # of each topic
        self.clients: list[Consumer | None] = []
        self.failing = 0  # the number of the client that cannot be made
        monkeypatch.setattr(shared_consumer, "_METADATA_TIMEOUT_S", 0.3)
        monkeypatch.setattr(tail_channel, "RECREATION_CHECK_INTERVAL_S", 0.0)
        monkeypatch.setattr(tail_channel, "consumer", self._make)
        monkeypatch.setattr(tail_channel, "allowed_readings", lambda wanted: wanted)
        monkeypatch.setattr(
            tail_channel,
            "_bounds",
            lambda profile, topic: tail_channel._Bounds(self._id(topic), *[self._offsets()] * 2),
        )
        monkeypatch.setattr(
            tail_channel,
            "describe_topics",
            lambda profile, topics: {
                topic: TopicInfo(topic, self._id(topic), self.partitions) for topic in topics
            },
        )

    def _offsets(self) -> dict[int, int]:
        return dict.fromkeys(range(self.partitions), 0)

    def _id(self, topic: str) -> str:
        return f"{topic} {topic in self.made_anew}"

    def _make(self, profile: ClusterProfile, **options: Any) -> Consumer:
        if len(self.clients) == self.failing - 1:
            self.clients.append(None)
            raise KafkaException(KafkaError(KafkaError._CRIT_SYS_RESOURCE))
        client = clients.consumer(profile, **options)
        self.clients.append(client)
        return client

    async def tail(self, channel: TailChannel, topic: str) -> None:
        nothing: Any = None
        stream = StreamInfo(READING, self.profile, topic, None, nothing)
        reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10)
        await channel.subscribe(reader, stream, lambda: None)

    def read_topics(self, client: int) -> set[str]:
        """Those that the client of this number reads."""
        found = self.clients[client - 1]
        return set() if found is None else {partition.topic for partition in found.assignment()}


async def test_who_comes_while_a_cluster_gets_a_new_consumer_is_served_by_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster(monkeypatch)
    channel = TailChannel(BlockingPool())
    await cluster.tail(channel, "first")
    cluster.made_anew.add("first")
    coming = asyncio.create_task(cluster.tail(channel, "second"))
    while channel._consumers[cluster.profile, False].topics < 2:
        await asyncio.sleep(0)
    await channel.tick()
    await coming
    await channel.tick()
    assert cluster.read_topics(2) == {"first", "second"}
    await channel.close()


async def test_a_consumer_is_closed_once_nothing_of_its_cluster_is_tailed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would go on connecting for as long as the process lives."""
    cluster = Cluster(monkeypatch)
    channel = TailChannel(BlockingPool())
    await cluster.tail(channel, "first")
    await cluster.tail(channel, "second")
    first, second = (channel._topics[cluster.profile, topic] for topic in ("first", "second"))
    for reader in first.readers:
        reader.close()
    await channel.tick()
    assert cluster.read_topics(1) == {"second"}
    for reader in second.readers:
        reader.close()
    await channel.tick()
    assert (channel._consumers, channel._topics) == ({}, {})
    await cluster.tail(channel, "first")
    assert cluster.read_topics(2) == {"first"}
    await channel.close()


async def test_partitions_that_a_topic_gets_are_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(monkeypatch)
    channel = TailChannel(BlockingPool())
    await cluster.tail(channel, "first")
    cluster.partitions = 3
    await channel.tick()
    found = cluster.clients[0]
    assert found is not None
    assert sorted(partition.partition for partition in found.assignment()) == [0, 1, 2]
    await channel.close()


async def test_a_consumer_that_cannot_be_made_now_keeps_no_other_topic_from_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster(monkeypatch)
    channel = TailChannel(BlockingPool())
    large_batches.note(cluster.profile, "large", large=True)
    for topic in ("anew", "large", "other"):
        await cluster.tail(channel, topic)
    cluster.made_anew.add("anew")
    cluster.failing = 4  # that of the large topic
    with contextlib.suppress(KafkaException):  # as the hub, which logs it
        await channel.tick()
    await channel.tick()
    assert cluster.read_topics(3) == {"anew", "other"}
    assert cluster.read_topics(5) == {"large"}
    await channel.close()
