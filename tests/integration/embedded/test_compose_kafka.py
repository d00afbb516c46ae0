"""Kafka as in docker-compose.yml: who is let in."""

from collections.abc import Iterator

import pytest

from tests.support.compose_kafka import ComposeKafka
from tests.support.kafka_topics import answers, create_topic

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComposeKafka]:
    server = ComposeKafka(tmp_path_factory.mktemp("compose"), "0123456789abcdef" * 4)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def test_weir_may_do_all(broker: ComposeKafka) -> None:
    create_topic(broker.options(), "weir.runs")
    create_topic(broker.options(), "orders")


@pytest.mark.thorough
def test_nobody_else_is_let_in(broker: ComposeKafka) -> None:
    assert not answers(f"127.0.0.1:{broker.port}", 3)
    assert not answers(broker.options("wrong"), 3)
