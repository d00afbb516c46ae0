"""Fixtures of every test: real servers, started once per session when first asked for."""

import os
from collections.abc import Iterator

import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.system import System
from tests.support.valkey_node import ValkeyServer
from weir.embedded.set_up import frontend

# For every JVM that tests start: what lives for minutes spends a third of its CPU on the optimising compiler (131 instead of
# 186 s for the golden cases), and gains nothing by it.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaServer]:
    """A real one-node Kafka; a test that kills it starts it again before it ends."""
    server = KafkaServer(tmp_path_factory.mktemp("kafka"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """A real Valkey."""
    server = ValkeyServer(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """The whole system, every process; a test that kills one waits until it is back."""
    # Built first: the web process looks once, at its start, at what there is to serve.
    frontend()
    running = System(tmp_path_factory.mktemp("system"))
    try:
        running.start()
        yield running
    finally:
        running.stop()
