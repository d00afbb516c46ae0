"""The system without Kafka's open listener: feeds, jobs and results of the demo use Weir's Kafka user."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from jobs.kafka_errors import offset_result
from tests.support.cds_archive import share_class_data
from tests.support.living_folders import paths_below, text_of
from tests.support.processes import wait_until
from tests.support.system import System
from weir.embedded.readiness import is_free

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[System]:
    found = System(tmp_path / "data", {"WEIR_KAFKA_OPEN": "false"}, demo=True)
    share_class_data(found.layout.data)
    try:
        found.start(500)
        yield found
    finally:
        found.stop()


def filled(client: AdminClient) -> dict[str, int]:
    """How many records each result topic holds."""
    topics = [name for name in client.list_topics(timeout=10).topics if name.startswith("weir.results.")]
    found = dict.fromkeys(topics, 0)
    partitions = {
        TopicPartition(name, partition): OffsetSpec.latest() for name in topics for partition in range(2)
    }
    for partition, answer in client.list_offsets(partitions).items():
        found[partition.topic] += offset_result(answer, 10)
    return found


def test_the_demo_gives_results(closed: System) -> None:
    assert is_free(closed.layout.kafka_port)
    client = AdminClient(closed.kafka_options)
    wait_until(
        lambda: len(found := filled(client)) == 3 and all(found.values()),
        120,
        "all three jobs have results",
        lambda: filled(client),
    )
    assert {"flights", "weir.runs", "weir.reports"} <= set(client.list_topics(timeout=10).topics)
    home = closed.rest().get("clusters")["results"][0]
    assert (home["bootstrap"], home["reachable"]) == (closed.kafka_options["bootstrap.servers"], True)
    password = closed.kafka_options["sasl.password"]
    found = paths_below(closed.layout.data)
    logs = [path for path in found if path.suffix == ".log" and "/kafka/data/" not in str(path)]
    assert logs
    assert [path for path in logs if password in text_of(path)] == []
    assert not any(password in " ".join(command) for command in closed.commands())
