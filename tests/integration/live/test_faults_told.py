"""Faults made on purpose, from the fault to the verdict and to whoever is told: real topics and readers, a
real relay with its watch of groups, and a real HTTP receiver. Rules have no hold; those of the beginning wait
a minute more. What was measured is printed, and stands in `docs/reference/alerts.md`.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django import Settings

from tests.integration.live.conftest import Results
from tests.support.alerting import metric_rule
from tests.support.consuming import Reader, Writer
from tests.support.kafka_node import KafkaServer
from tests.support.played_engine import SOURCE, PlayedEngine
from tests.support.processes import wait_until
from tests.support.receivers import HttpReceiver, http_receiver
from weir.alerts.models import AlertRule
from weir.alerts.services.channels import create_channel
from weir.alerts.services.delivery import deliver
from weir.alerts.services.outbox import due_channels
from weir.alerts.services.rules import create_rule
from weir.clusters.services.clients import home_profile
from weir.consumer_groups.models import GroupTopic
from weir.runs.models import Generation, Run
from weir.runs.services.run_publisher import mirror_group
from weir.workspaces.models import User

pytestmark = [
    pytest.mark.integration,
    pytest.mark.long,  # what happens takes its time
    pytest.mark.timeout(900),
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
SHORT = {"retention.ms": "180000", "segment.ms": "2000", "file.delete.delay.ms": "100"}
Start = Callable[[], Callable[[], None]]


def stored() -> object:
    """What the relay knows, for the message of a test that fails."""
    health = ("group", "topic", "health", "loss_s")
    return Run.objects.get().lag_health, list(GroupTopic.objects.values_list(*health))


class Told:
    """A rule, and when its notifications arrive at the receiver; delivered as a worker does."""

    def __init__(self, results: Results, owner: User, receiver: HttpReceiver) -> None:
        self._results, self._owner, self._receiver = results, owner, receiver

    def rule(self, metric: str, **threshold: float) -> None:
        """The only rule of the workspace."""
        AlertRule.objects.all().delete()
        create_rule(self._results.job.workspace, self._owner, "rule", metric_rule(metric, **threshold))

    def look(self) -> list[Any]:
        """What has arrived."""
        for channel in due_channels():
            deliver(channel)
        return [json.loads(body) for _, _, body in self._receiver.requests]

    def measure(self, what: str, verdict: Callable[[], object], limit_s: float) -> tuple[float, Any]:
        """Wait for verdict and notification of a fault that was just made.

        Returns:
            Seconds to the verdict, and what arrived.
        """
        began = time.monotonic()
        wait_until(verdict, limit_s, f"the verdict on {what}")
        judged_s = time.monotonic() - began
        wait_until(self.look, 120, f"the notification of {what}", stored)
        print(f"{what}: verdict after {judged_s:.1f} s, told after {time.monotonic() - began:.1f} s")
        (told, *_) = self.look()
        assert told["change"] == "fired"
        return judged_s, told


@pytest.fixture
def told(results: Results, owner: User, settings: Settings) -> Iterator[Told]:
    settings.PRIVATE_WEBHOOKS = True
    with http_receiver() as receiver:
        address = f"http://127.0.0.1:{receiver.port}/"
        create_channel(results.job.workspace, owner, "hook", "webhook", address, "info")
        yield Told(results, owner, receiver)


@pytest.fixture
def topic(broker: KafkaServer) -> Iterator[Callable[..., str]]:
    """Makes topics of two partitions."""
    made: list[str] = []

    def make(settings: dict[str, str] | None = None) -> str:
        made.append(f"faults.{uuid.uuid4().hex[:8]}")
        broker.create_topic(made[-1], 2, settings)
        return made[-1]

    yield make
    for name in made:
        broker.delete_topic(name)


@pytest.fixture
def watched(told: Told, topic: Callable[..., str], relay: Start) -> Callable[..., str]:
    """Makes a topic and the only rule, starts the relay, and gives the topic's name."""

    def make(metric: str, settings: dict[str, str] | None = None, **threshold: float) -> str:
        name = topic(settings)
        told.rule(metric, **threshold)
        relay()
        return name

    return make


@pytest.fixture
def engine(broker: KafkaServer, results: Results) -> Callable[..., PlayedEngine]:
    """The engine of the job, which reads this topic."""

    def make(topic: str, **more: Any) -> PlayedEngine:
        source = {
            "stream": "trades",
            "cluster": home_profile().model_dump(mode="json"),
            "topic": topic,
            "topic_id": broker.topic_id(topic),
            "partitions": 2,
            "contract": {},
            "start": {"kind": "earliest"},
        }
        Generation.objects.update(sources={SOURCE: source})
        mirror = mirror_group(results.job.workspace.slug, results.job.name)
        return PlayedEngine(broker.bootstrap, results.run, topic, 2, mirror, results.report, **more)

    return make


def group_is(group: str, *kinds: str) -> Callable[[], bool]:
    return lambda: GroupTopic.objects.filter(group=group, health__in=kinds).exists()


def job_is(*kinds: str) -> Callable[[], bool]:
    return lambda: (Run.objects.get().lag_health or {}).get("kind") in kinds


def warm(is_fine: Callable[[], bool], seconds: float) -> None:
    """All is well for so long that its rhythm is known."""
    wait_until(is_fine, 90, "all is well")
    time.sleep(seconds)


def overtake(told: Told, writer: Writer, reader: Reader | PlayedEngine) -> None:
    """A burst that is caught up, of which nobody is told; then the writer is twice as fast as the reader."""
    writer.rate = 300.0
    time.sleep(15)
    writer.rate = 80.0
    time.sleep(40)
    assert told.look() == []
    reader.rate, writer.rate = 100.0, 200.0


def test_a_consumer_that_stops(told: Told, broker: KafkaServer, watched: Callable[..., str]) -> None:
    name = watched("group.needs_a_look", above=0)
    with Writer(broker.bootstrap, name, 100.0), Reader(broker.bootstrap, "stops", name) as reader:
        warm(group_is("stops", "fine"), 15)
        reader.rate = 0.0
        judged_s, fired = told.measure("consumer stopped", group_is("stops", "stopped"), 40)
        assert judged_s <= 15
        assert fired["alerts"][0]["group"]["group"] == "stops"
        reader.rate = 1e9
        wait_until(lambda: [one["change"] for one in told.look()] == ["fired", "resolved"], 60, "it is over")


def test_a_record_that_a_consumer_cannot_process(
    told: Told, broker: KafkaServer, watched: Callable[..., str]
) -> None:
    name = watched("group.needs_a_look", above=0)
    with Writer(broker.bootstrap, name, 100.0), Reader(broker.bootstrap, "poisoned", name) as reader:
        warm(group_is("poisoned", "fine"), 15)
        reader.poisoned = 1
        judged_s, fired = told.measure("poison record", group_is("poisoned", "stalled"), 40)
        assert judged_s <= 15
        assert fired["alerts"][0]["title"].endswith(": stalled")


def test_a_writer_twice_as_fast_as_the_consumer(
    told: Told, broker: KafkaServer, watched: Callable[..., str]
) -> None:
    name = watched("group.needs_a_look", above=0)
    with (
        Writer(broker.bootstrap, name, 100.0) as writer,
        Reader(broker.bootstrap, "slow", name, rate=150.0) as reader,
    ):
        warm(group_is("slow", "fine"), 15)
        overtake(told, writer, reader)
        judged_s, _ = told.measure(
            "producer twice as fast as a group", group_is("slow", "falling_behind"), 90
        )
        assert judged_s <= 60


@pytest.mark.parametrize("reads", ["group", "job"])
def test_records_that_are_about_to_be_lost(
    told: Told,
    broker: KafkaServer,
    watched: Callable[..., str],
    engine: Callable[..., PlayedEngine],
    reads: str,
) -> None:
    name = watched(f"{reads}.loss_seconds", SHORT, below=3_600)
    reader: Any = Reader(broker.bootstrap, "late", name) if reads == "group" else engine(name, commit_s=5.0)
    is_ = (lambda *kinds: group_is("late", *kinds)) if reads == "group" else job_is
    with Writer(broker.bootstrap, name, 50.0), reader:
        warm(is_("fine"), 25)
        reader.rate = 0.0
        _, fired = told.measure(f"retention about to cut a {reads}", is_("stopped"), 60)
        began, value = time.monotonic(), fired["alerts"][0]["value"]
        wait_until(is_("losing"), 400, "records are lost", stored)
        took = time.monotonic() - began
        print(f"countdown of a {reads}: told {value:.0f} s, lost after {took:.0f} s")
        assert abs(value - took) <= 0.2 * took


def test_a_producer_twice_as_fast_as_a_job_with_a_checkpoint_every_40_s(
    told: Told,
    broker: KafkaServer,
    watched: Callable[..., str],
    engine: Callable[..., PlayedEngine],
) -> None:
    name = watched("job.needs_a_look", above=0)
    with Writer(broker.bootstrap, name, 100.0) as writer, engine(name, rate=150.0) as job:
        warm(job_is("fine"), 30)
        overtake(told, writer, job)
        judged_s, fired = told.measure("producer twice as fast as a job", job_is("falling_behind"), 90)
        assert judged_s <= 60
        assert fired["alerts"][0]["title"].endswith(": falling behind")


def test_a_job_that_reads_nothing(
    told: Told,
    broker: KafkaServer,
    watched: Callable[..., str],
    engine: Callable[..., PlayedEngine],
) -> None:
    name = watched("job.needs_a_look", above=0)
    with Writer(broker.bootstrap, name, 100.0), engine(name) as job:
        warm(job_is("fine"), 20)
        job.rate = 0.0
        judged_s, _ = told.measure("job reads nothing", job_is("stopped"), 40)
        assert judged_s <= 15


def test_a_partition_that_falls_silent(
    told: Told,
    broker: KafkaServer,
    watched: Callable[..., str],
    engine: Callable[..., PlayedEngine],
) -> None:
    name = watched("source.silent_partition_seconds", above=20)
    with Writer(broker.bootstrap, name, 50.0, partition=0), engine(name):
        with Writer(broker.bootstrap, name, 50.0, partition=1):
            warm(job_is("fine"), 20)
        began = time.monotonic()
        _, fired = told.measure("silent partition, 20 s of which are the rule's", told.look, 90)
        assert fired["alerts"][0]["title"].endswith(": partition 1")
        assert time.monotonic() - began <= 60


def test_a_topic_of_malformed_records(
    told: Told,
    broker: KafkaServer,
    watched: Callable[..., str],
    engine: Callable[..., PlayedEngine],
) -> None:
    name = watched("source.malformed_over_usual", above=5)  # as the rule of the beginning
    with Writer(broker.bootstrap, name, 50.0), engine(name) as job:
        warm(job_is("fine"), 310)  # a share of five minutes is known after five minutes
        job.malformed_share = 1.0
        began = time.monotonic()
        told.measure("poison topic", lambda: bool(Run.objects.get().skipping), 60)
        assert time.monotonic() - began <= 60
