"""The hub and the relay on a real broker and real databases; tests write results, as an engine would."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from confluent_kafka import Producer
from django.core.cache import cache
from pytest_django import Settings

from jobs.kafka_messages import REPORTS_TOPIC, RUNS_TOPIC, Report
from tests.support.database_url import database_url
from tests.support.kafka_node import KafkaServer
from tests.support.live_client import LiveClient
from tests.support.processes import wait_until
from tests.support.run_factories import job_of, running, set_result_topic
from tests.support.users import create_user, session_of, workspace_of
from weir.clusters.services import clients
from weir.clusters.services.topics import create_topic
from weir.live.hub import hub
from weir.relay.service import Relay
from weir.results.services.queries import read_position, read_snapshot
from weir.runs.models import Job, Run
from weir.workspaces.models import User, Workspace

ROOT = Path(__file__).parents[3]


@pytest.fixture
def broker(kafka: KafkaServer, settings: Settings) -> KafkaServer:
    settings.KAFKA_BOOTSTRAP_SERVERS = kafka.bootstrap
    cache.clear()
    for topic in (RUNS_TOPIC, REPORTS_TOPIC):
        create_topic(clients.home_profile(), topic, 1, {})
    return kafka


@pytest.fixture
def owner(transactional_db: None) -> User:
    return create_user("ann")


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return workspace_of(owner)


@dataclass
class Results:
    """A job with a result topic, and the pen that writes into it as its engine would."""

    job: Job
    run: Run
    topic: str
    producer: Producer

    def write(
        self, key: str, value: str | None, *, epoch: int = 1, partition: int | None = None, at_ms: int = 0
    ) -> None:
        """One result; the partition follows the key."""
        target = hash_of(key) % 2 if partition is None else partition
        headers = [("epoch", str(epoch).encode()), ("newest-input", b"1700000000000000")]
        body = None if value is None else value.encode()
        self.producer.produce(
            self.topic, body, f'["{key}"]'.encode(), target, headers=headers, timestamp=at_ms
        )
        self.producer.poll(0)

    def flush(self) -> None:
        """Wait until the broker has everything."""
        assert self.producer.flush(20) == 0

    def stored(self) -> dict[str, str]:
        """What the relay has stored."""
        return {
            row.key: row.value for row in read_snapshot(self.job.pk, self.run.generation.number, 100_000).rows
        }

    def stored_offsets(self) -> int:
        """Sum of the stored offsets."""
        return sum(read_position(self.job.pk, self.run.generation.number)[1].values())

    def report(self, *reports: Report) -> None:
        """Say something as the engine."""
        for report in reports:
            self.producer.produce(REPORTS_TOPIC, report.model_dump_json().encode(), self.run.pk.encode())
        self.flush()


def hash_of(key: str) -> int:
    return sum(key.encode())


def topic_of(broker: KafkaServer, run: Run) -> str:
    """Make the run's result topic, under a name that no other test has."""
    topic = f"weir.results.{uuid4().hex[:12]}.{run.generation.number}"
    broker.create_topic(topic, 2, {"cleanup.policy": "compact,delete", "retention.ms": "-1"})
    set_result_topic(run, topic, broker.topic_id(topic))
    run.generation.refresh_from_db()
    return topic


@pytest.fixture
def results(broker: KafkaServer, workspace: Workspace, owner: User) -> Iterator[Results]:
    job = job_of(workspace, owner)
    run = running(job)
    producer = clients.producer(clients.home_profile())
    yield Results(job, run, topic_of(broker, run), producer)
    producer.flush(5)


@pytest.fixture
def relay(broker: KafkaServer, transactional_db: None) -> Iterator[Callable[[], Callable[[], None]]]:
    """Starts a relay on a thread and gives what stops it."""
    stops: list[Callable[[], None]] = []

    def start() -> Callable[[], None]:
        stop = threading.Event()
        thread = threading.Thread(target=lambda: Relay(stop).run())
        thread.start()

        def end() -> None:
            stop.set()
            thread.join(20)
            assert not thread.is_alive()

        stops.append(end)
        return end

    yield start
    for end in stops:
        end()


@pytest.fixture
def relay_process(kafka: KafkaServer) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """The real command on the test's databases."""
    made: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
            "DJANGO_SETTINGS_MODULE": "weir.project.settings",
            "KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap,
            "DATABASE_URL": database_url("default"),
            "RESULTS_DATABASE_URL": database_url("results"),
        }
        made.append(subprocess.Popen([sys.executable, "-m", "django", "relay"], env=environment, cwd=ROOT))
        return made[-1]

    yield start
    for process in made:
        process.kill()
        process.wait(10)


@pytest.fixture
async def connect(owner: User, broker: KafkaServer) -> AsyncIterator[Callable[..., object]]:
    """Connects clients as the owner, or as another person; the hub ends with the test."""
    clients_made: list[LiveClient] = []

    async def make(user: User | None = None) -> LiveClient:
        client = LiveClient(await sync_to_async(session_of)(user or owner))
        assert await client.connect()
        clients_made.append(client)
        return client

    yield make
    for client in clients_made:
        await client.leave()
    await hub().close()


async def eventually(condition: Callable[[], bool], what: str, deadline_s: float = 20) -> None:
    """Poll a blocking condition without blocking the loop."""
    await asyncio.to_thread(wait_until, condition, deadline_s, what)
