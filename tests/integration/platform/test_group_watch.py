"""The watch of consumer groups on a real broker: what it reads, who watches, what it says of faults."""

import threading
import time
import uuid
from collections.abc import Callable, Iterator

import pytest

from tests.support.consuming import Reader, Writer
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from weir.clusters.models import HOME
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupTopic
from weir.consumer_groups.services.cluster_pass import ClusterPass
from weir.consumer_groups.services.watcher import Watcher

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]


@pytest.fixture
def topic(broker: KafkaServer) -> Iterator[str]:
    name = f"watched.{uuid.uuid4().hex[:8]}"
    broker.create_topic(name, 2)
    yield name
    broker.delete_topic(name)


@pytest.fixture
def short_topic(broker: KafkaServer) -> Iterator[str]:
    """A topic that keeps records for 100 s."""
    name = f"short.{uuid.uuid4().hex[:8]}"
    broker.create_topic(
        name, 1, {"retention.ms": "100000", "segment.ms": "2000", "file.delete.delay.ms": "100"}
    )
    yield name
    broker.delete_topic(name)


@pytest.fixture
def watch() -> Iterator[Callable[[str], Callable[[], None]]]:
    """Begins a watcher of this name; what it returns ends it."""
    ends: list[Callable[[], None]] = []

    def begin(holder: str) -> Callable[[], None]:
        stop = threading.Event()
        thread = threading.Thread(target=Watcher(stop, holder).run)
        thread.start()

        def end() -> None:
            stop.set()
            thread.join()

        ends.append(end)
        return end

    yield begin
    for end in ends:
        end()


def group_name() -> str:
    return f"group-{uuid.uuid4().hex[:8]}"


def health(group: str) -> str | None:
    return GroupTopic.objects.filter(group=group).values_list("health", flat=True).first()


def seconds_until(wanted: set[str], group: str, limit_s: float) -> float:
    began = time.monotonic()
    wait_until(lambda: health(group) in wanted, limit_s, f"{group} is {wanted}, it was {health(group)}")
    return time.monotonic() - began


@pytest.mark.parametrize("protocol", [pytest.param("classic", marks=pytest.mark.long), "consumer"])
def test_a_group_is_seen_with_its_members_and_partitions(
    broker: KafkaServer, topic: str, watch: Callable[[str], object], protocol: str
) -> None:
    group = group_name()
    watch("one")
    with (
        Writer(broker.bootstrap, topic, 50.0, partition=1),
        Reader(broker.bootstrap, group, topic, options={"group.protocol": protocol}),
    ):
        wait_until(
            lambda: (
                bool((ConsumerGroup.objects.filter(name=group).first() or ConsumerGroup()).members)
                and health(group) == "fine"
                and (GroupTopic.objects.get(group=group).in_rate or 0) > 20
            ),
            60,
            "the group is known",
        )
    found = ConsumerGroup.objects.get(name=group)
    assert (found.state, found.protocol) == ("Stable", protocol)
    assert found.members is not None
    ((client, host, _, partitions),) = found.members
    assert (client, host) == (f"{group}-client", "127.0.0.1")
    assert partitions == [[topic, 0], [topic, 1]]
    (read,) = GroupTopic.objects.get(group=group).partitions
    assert read[0] == 1
    assert read[1] <= read[2]
    wait_until(lambda: ConsumerGroup.objects.get(name=group).state == "Empty", 30, "nobody is in the group")
    assert ConsumerGroup.objects.get(name=group).members == []


@pytest.mark.long
def test_one_of_two_watches_and_the_other_takes_over_within_10_seconds(
    broker: KafkaServer, watch: Callable[[str], Callable[[], None]]
) -> None:
    first = ClusterWatch.objects.filter(pk=HOME, passed_at_us__isnull=False)
    watch("one")
    wait_until(lambda: first.exists(), 30, "the first watches")
    watch("two")
    time.sleep(4)  # both renew: the second gets nothing
    assert ClusterWatch.objects.get(pk=HOME).holder == "one"
    # A process that is killed gives nothing back: its lease ends by itself.
    ClusterWatch.objects.filter(pk=HOME).update(
        holder="dead", expires_us=(time.time_ns() // 1000) + 6_000_000
    )
    began, before = time.monotonic(), ClusterWatch.objects.get(pk=HOME).passed_at_us or 0
    wait_until(
        lambda: (
            (now := ClusterWatch.objects.get(pk=HOME)).holder in ("one", "two")
            and (now.passed_at_us or 0) > before
        ),
        30,
        "somebody took over",
    )
    assert time.monotonic() - began <= 10


def test_whoever_lost_the_lease_writes_nothing(broker: KafkaServer) -> None:
    from weir.clusters.services.clients import home_profile  # noqa: PLC0415

    ClusterWatch.objects.create(cluster_id=HOME, holder="other", expires_us=2**62)
    late = ClusterPass(home_profile(), "late")
    late.run()
    late.close()
    assert ClusterWatch.objects.get(pk=HOME).passed_at_us is None
    assert not GroupTopic.objects.exists()


@pytest.mark.long  # what happens takes its time
def test_a_consumer_that_stands_still_is_stopped_within_15_seconds(
    broker: KafkaServer, topic: str, watch: Callable[[str], object]
) -> None:
    group = group_name()
    watch("one")
    with Writer(broker.bootstrap, topic, 100.0), Reader(broker.bootstrap, group, topic) as reader:
        seconds_until({"fine"}, group, 60)
        time.sleep(12)  # a few commits, so that their rhythm is known
        reader.rate = 0.0
        assert seconds_until({"stopped"}, group, 40) <= 15
        assert GroupTopic.objects.get(group=group).cause == "not_committing"
        reader.rate = 1e9
        assert seconds_until({"fine"}, group, 30) <= 15


@pytest.mark.long  # what happens takes its time
def test_a_writer_twice_as_fast_as_the_consumer_is_told_within_60_seconds_and_a_burst_is_not(
    broker: KafkaServer, topic: str, watch: Callable[[str], object]
) -> None:
    group = group_name()
    watch("one")
    with (
        Writer(broker.bootstrap, topic, 100.0) as writer,
        Reader(broker.bootstrap, group, topic, rate=150.0) as reader,
    ):
        seconds_until({"fine"}, group, 60)
        seen = set()
        writer.rate = 300.0
        for second in range(50):
            time.sleep(1)
            writer.rate = 300.0 if second < 15 else 80.0
            seen.add(health(group))
        assert seen <= {"fine", "catching_up"}
        reader.rate, writer.rate = 100.0, 200.0
        assert seconds_until({"falling_behind"}, group, 90) <= 60


@pytest.mark.long  # what happens takes its time
def test_the_countdown_to_loss_is_within_a_fifth_of_what_happens(
    broker: KafkaServer, short_topic: str, watch: Callable[[str], object]
) -> None:
    group = group_name()
    watch("one")
    with Writer(broker.bootstrap, short_topic, 50.0), Reader(broker.bootstrap, group, short_topic) as reader:
        seconds_until({"fine"}, group, 60)
        time.sleep(12)
        reader.rate = 0.0
        seconds_until({"stopped"}, group, 60)
        wait_until(lambda: GroupTopic.objects.get(group=group).loss_s is not None, 30, "there is a countdown")
        told = GroupTopic.objects.get(group=group).loss_s or 0.0
        took = seconds_until({"losing"}, group, 200)
        print(f"countdown {told:.0f} s, lost after {took:.0f} s")
        assert abs(told - took) <= 0.2 * took
        assert GroupTopic.objects.get(group=group).lost_records > 0
