"""Where a tail goes on after its topic could not be read, and what tails take of the event loop, without a
broker.
"""

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from itertools import pairwise
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
from weir.live.connection import HARD_CAP, Connection
from weir.live.lookups import StreamInfo
from weir.live.tail_channel import BATCH_FILTER_TIME_S, TailChannel, TailSubscription, TailTopic
from weir.live.tail_shares import ALL_SHARE, PERSON_SHARE, TailShares
from weir.live.tail_view import FRAME_CPU_S, Chosen
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
    shares = TailShares()
    readers = [TailSubscription(nothing, at, READING, view, 10, shares) for at, view in enumerate(views)]
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
    reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10, TailShares())
    tail = TailTopic({0: 0}, frozenset({reader}), allowed=lambda wanted: ())
    assert tail.read([Record(0, 0, b"theirs", None)]) == []


async def test_what_nobody_may_see_while_owners_are_unknown_is_counted() -> None:
    """Shown or counted, says the protocol."""
    nothing: Any = None
    reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10, TailShares())
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
        reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10, TailShares())
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


class Clock:
    """Time of the loop, and processor time of its thread, which pass when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.cpu = 1_000.0, 0.0
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: self.now)
        monkeypatch.setattr(time, "thread_time", lambda: self.cpu)

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.cpu += seconds

    async def settle(self) -> None:
        """Let tasks and timers run that are due."""
        for _ in range(12):
            await asyncio.sleep(0)


class CostlyView:
    """A view whose frames take so much processor time."""

    chooses = False

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds

    def show(self, messages: Any) -> list[dict[str, Any]]:
        self._clock.work(self._seconds)
        return [{"offset": message.offset()} for message in messages]


class Viewers:
    """People whose tails get records all the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = Clock(monkeypatch)
        self.shares = TailShares()
        self.tails: list[TailSubscription] = []
        self.connections: list[Connection] = []
        self.frames: list[tuple[str, float, dict[str, Any]]] = []  # whose, when, what
        self.costs: dict[str, float] = {}
        self._written = 0

    def add(self, person: str, tails: int, seconds: float, connections: int = 1) -> None:
        self.costs[person] = seconds
        for _ in range(connections):
            connection = self.connect(person)
            for _ in range(tails // connections):
                view: Any = CostlyView(self.clock, seconds)
                tail = TailSubscription(connection, len(self.tails), READING, view, 40, self.shares)
                self.tails.append(tail)
                connection.subscriptions[tail.id] = tail

    def connect(self, person: str) -> Connection:
        async def send(text: str) -> None:
            self.frames.append((person, self.clock.now, json.loads(text)))

        async def close(code: int) -> None:
            pass

        self.connections.append(Connection(send, close, None, person))
        return self.connections[-1]

    async def write(self, seconds: float, step: float = 0.05) -> None:
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.write_one()
            await self.clock.settle()
            self.clock.now += step

    def write_one(self) -> None:
        record: Any = Record(0, self._written, b"{}", None)
        self._written += 1
        for tail in self.tails:
            if not tail.closed:
                tail.add(Chosen(1, 1, [record]))

    def count(self) -> Counter[str]:
        return Counter(person for person, *_ in self.frames)

    def taken(self) -> Counter[str]:
        """Seconds of the loop, by person."""
        return Counter({person: number * self.costs[person] for person, number in self.count().items()})

    def release(self) -> None:
        for connection in self.connections:
            connection.release()


@pytest.fixture
async def viewers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Viewers]:
    found = Viewers(monkeypatch)
    yield found
    found.release()


@pytest.mark.parametrize(("tails", "connections"), [(1, 1), (10, 1), (90, 30)])
async def test_a_persons_tails_have_one_share_of_the_loop(
    viewers: Viewers, tails: int, connections: int
) -> None:
    viewers.add("user 1", tails, 0.036, connections)
    await viewers.write(20)
    assert viewers.taken()["user 1"] <= 20 * PERSON_SHARE + 0.1 + 0.036
    assert viewers.taken()["user 1"] > 20 * PERSON_SHARE * 0.8, "it is not held back more than that"


async def test_the_tails_of_all_people_have_one_share_of_the_loop(viewers: Viewers) -> None:
    for number in range(8):
        viewers.add(f"user {number}", 3, FRAME_CPU_S)
    viewers.add("link 7", 3, FRAME_CPU_S)
    await viewers.write(40)
    assert 40 * ALL_SHARE * 0.8 < viewers.taken().total() <= 40 * ALL_SHARE + 2 * FRAME_CPU_S
    times = [at for _, at, _ in viewers.frames]
    assert min(later - at for at, later in pairwise(times)) > FRAME_CPU_S, "nor is there a burst"
    counts = viewers.count()
    assert len(counts) == 9
    assert max(counts.values()) - min(counts.values()) <= 1, "they take turns"


async def test_who_has_many_tails_is_not_before_who_has_one(viewers: Viewers) -> None:
    for number in range(6):
        viewers.add(f"user {number}", 20, FRAME_CPU_S)
    viewers.add("one", 1, 0.001)
    await viewers.write(30)
    # Before each of its own are one of each other person, with the pause for all.
    assert viewers.count()["one"] >= 30 / (6 * FRAME_CPU_S / ALL_SHARE + 0.5) - 1
    times = [at for person, at, _ in viewers.frames if person == "one"]
    assert max(later - at for at, later in pairwise(times)) < 4


async def test_of_a_persons_tails_the_one_goes_first_that_waited_longest(viewers: Viewers) -> None:
    viewers.add("user 1", 12, FRAME_CPU_S, connections=3)
    await viewers.write(60)
    order = [frame["id"] for *_, frame in viewers.frames]
    assert len(order) > 24
    for at in range(len(order) - 12):
        assert len(set(order[at : at + 12])) == 12, "nobody goes twice before all"


async def test_what_a_tail_that_waits_leaves_out_is_counted(viewers: Viewers) -> None:
    viewers.add("user 1", 10, FRAME_CPU_S)
    await viewers.write(50)
    for tail in viewers.tails:
        got = [frame for *_, frame in viewers.frames if frame["id"] == tail.id]
        assert len(got) >= 1
        newest = max(record["offset"] for frame in got for record in frame["records"])
        assert sum(len(frame["records"]) + frame["skipped"] for frame in got) == newest + 1
        assert any(frame["skipped"] for frame in got)


async def test_tails_that_wait_for_their_turn_do_not_end_their_connection(viewers: Viewers) -> None:
    """It was told that its client reads too slowly."""
    viewers.add("user 1", 12, FRAME_CPU_S)
    large: Any = Record(0, 0, bytes(300_000), None)
    for tail in viewers.tails:
        tail.add(Chosen(10, 10, [large] * 10))
    (connection,) = viewers.connections
    assert connection.waiting < HARD_CAP
    assert connection.check()


async def test_small_frames_of_a_hundred_tails_wait_for_none(viewers: Viewers) -> None:
    viewers.add("user 1", 100, 0.001)
    viewers.clock.now += 0.25
    began = viewers.clock.now
    viewers.write_one()
    while len(viewers.frames) < 100:
        await viewers.clock.settle()
        viewers.clock.now += 0.001
    assert viewers.clock.now - began < 0.5


async def test_tails_within_the_share_are_sent_four_times_a_second(viewers: Viewers) -> None:
    for number in range(10):
        viewers.add(f"user {number}", 4, 0.001)
    await viewers.write(10, step=0.01)
    assert min(viewers.count().values()) >= 4 * 4 * 10 * 0.9


async def test_a_client_that_does_not_read_keeps_no_other_from_its_turn(viewers: Viewers) -> None:
    """Its tails are in line when it stops, and have no turns later that they missed."""
    viewers.add("stuck", 50, FRAME_CPU_S)
    stuck, reading = viewers.connections[0], asyncio.Event()
    taken = stuck._send_text

    async def send(text: str) -> None:
        await taken(text)
        await reading.wait()

    viewers.add("user 1", 1, FRAME_CPU_S)
    await viewers.write(3)
    stuck._send_text = send
    await viewers.write(5)
    viewers.frames.clear()
    await viewers.write(20)
    assert viewers.count()["stuck"] == 0
    assert viewers.count()["user 1"] >= 20 * PERSON_SHARE / FRAME_CPU_S - 2
    viewers.frames.clear()
    reading.set()
    await viewers.write(20)
    assert 5 <= viewers.count()["stuck"] <= (20 * PERSON_SHARE + 0.1) / FRAME_CPU_S + 1


async def test_tails_that_end_while_they_wait_leave_nothing(viewers: Viewers) -> None:
    viewers.add("user 1", 10, FRAME_CPU_S)
    viewers.add("user 2", 10, FRAME_CPU_S)
    await viewers.write(3)
    for tail in viewers.tails[:10]:
        tail.close()
    viewers.frames.clear()
    await viewers.write(10)
    assert set(viewers.count()) == {"user 2"}
    viewers.release()
    viewers.clock.now += 10
    await viewers.clock.settle()
    shares = viewers.shares
    assert (shares._lines, shares._in_line, shares._timer) == ({}, set(), None)


async def test_a_person_who_owes_nothing_is_forgotten(viewers: Viewers) -> None:
    viewers.add("user 1", 1, 0.001)
    viewers.add("user 2", 1, 0.001)
    await viewers.write(1)
    assert set(viewers.shares._people) == {"user 1", "user 2"}
    for tail in viewers.tails[:1]:
        tail.close()
    await viewers.write(1)
    assert set(viewers.shares._people) == {"user 2"}


async def test_a_large_frame_costs_what_sending_takes_too(viewers: Viewers) -> None:
    """It is compressed on the loop."""
    viewers.add("user 1", 1, 0.0)
    text: Any = {"value": "x" * 5_000_000}
    viewers.tails[0].view.show = lambda messages: [text]  # type: ignore[method-assign]
    await viewers.write(10)
    assert viewers.count()["user 1"] <= (10 * PERSON_SHARE + 0.1) / 0.1 + 1
