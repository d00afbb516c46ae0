"""The platform on a real broker."""

from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests.support.kafka_node import KafkaServer
from tests.support.patience import PATIENCE
from tests.support.secured_kafka import SecuredKafka
from tests.support.users import create_user, workspace_of
from weir.clusters.services import clients
from weir.runs import tasks
from weir.runs.models import Engine, Run
from weir.runs.services.run_publisher import ensure_system_topics
from weir.streams.services import topic_stats
from weir.workspaces.models import User, Workspace


@pytest.fixture
def broker(kafka: KafkaServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> KafkaServer:
    """The home cluster, with Weir's own topics."""
    monkeypatch.setattr(topic_stats, "FETCH_TIMEOUT_S", topic_stats.FETCH_TIMEOUT_S * PATIENCE)
    settings.KAFKA_BOOTSTRAP_SERVERS = kafka.bootstrap
    settings.ENGINE_SLOTS = 64
    cache.clear()
    ensure_system_topics()
    return kafka


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    """A second cluster with TLS and users; tests give them their passwords."""
    server = SecuredKafka(tmp_path_factory.mktemp("secured"), "plain-password")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def owner(transactional_db: None) -> User:
    return create_user("ann")


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return workspace_of(owner)


@pytest.fixture
def start_run() -> Callable[[str], str]:
    """What a worker does for the start of a job's newest generation, here and now; gives the run's id. Its
    engine is a process that `run_factories` speaks for.
    """

    def do(job_id: str) -> str:
        run = Run.objects.filter(generation__job=job_id).latest("generation__number")
        tasks.start_run(run.pk)
        Engine.objects.filter(pk=run.engine_id).update(state=Engine.State.READY, incarnation="inc-1")
        return run.pk

    return do


@pytest.fixture
def producer(broker: KafkaServer) -> Iterator[object]:
    made = clients.producer(clients.home_profile())
    yield made
    made.flush(5)
