import signal
from collections.abc import Iterator

import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import SYSTEM_TOPICS, Bench, EngineProcess, Reports


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A broker of the engine's own, so that no other test uses its system topics, and a checkpoint folder."""
    server = KafkaServer(tmp_path_factory.mktemp("engine-kafka"))
    server.start()
    for name, settings in SYSTEM_TOPICS.items():
        server.create_topic(name, 1, settings)
    yield Bench(server, tmp_path_factory.mktemp("engine"))
    server.stop()


@pytest.fixture
def reports(bench: Bench) -> Iterator[Reports]:
    following = Reports(bench)
    yield following
    following.close()


@pytest.fixture(scope="session")
def started_engine(bench: Bench) -> Iterator[EngineProcess]:
    process = EngineProcess(bench, "engine-a")
    yield process
    assert process.stop() in (0, 143, -signal.SIGKILL)  # a local engine kills its own JVM at its end


@pytest.fixture
def engine(started_engine: EngineProcess) -> EngineProcess:
    """The engine process shared by tests; a test may kill it, and removes its own runs."""
    if not started_engine.alive:
        started_engine.begin()
    return started_engine
