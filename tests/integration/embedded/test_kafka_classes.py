"""The broker's class-data archive is made beside it, and loaded by its next start."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kafka_topics import answers
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import install_jars
from weir.embedded.kafka_classes import archive_path, recording, start_recording
from weir.embedded.kafka_node import KafkaNode

pytestmark = [pytest.mark.integration, pytest.mark.thorough]


@pytest.fixture
def node(tmp_path: Path) -> KafkaNode:
    install_jars()
    made = KafkaNode(tmp_path / "kafka", *free_ports(2), heap_mb=384, archive=archive_path(tmp_path))
    made.prepare()
    return made


@pytest.fixture
def broker(node: KafkaNode) -> Iterator[ServerProcess]:
    found = ServerProcess(node.command(), node.folder / "kafka.log")
    start(found, node)
    yield found
    found.kill()


def start(broker: ServerProcess, node: KafkaNode) -> None:
    broker.start()
    wait_until(lambda: answers(node.bootstrap), 300, f"the broker answers; see {broker.log}")


def test_the_next_start_loads_what_was_recorded(node: KafkaNode, broker: ServerProcess) -> None:
    assert node.archive is not None
    recorder = start_recording(node, {}, niceness=0)
    assert recorder is not None
    assert recorder.communicate()[1] == ""
    assert answers(node.bootstrap), "the broker has gone on"
    assert not node.class_list.exists()
    broker.stop()
    # With this option a JVM ends that can't map the archive.
    again = ServerProcess([*node.command()[:1], "-Xshare:on", *node.command()[1:]], node.folder / "again.log")
    assert f"-XX:SharedArchiveFile={node.archive}" in node.command()
    try:
        start(again, node)
    finally:
        again.kill()


def test_a_recording_that_was_broken_off_leaves_nothing(node: KafkaNode, broker: ServerProcess) -> None:
    assert node.archive is not None
    archives = node.archive.parent
    with recording(node, {}):
        wait_until(lambda: list(archives.glob("*.draft/classes.list")), 60, "the recording has begun")
    assert [path.suffix for path in archives.iterdir()] == [".lock"]
    assert node.class_list.exists(), "the next recording has a list"
    assert answers(node.bootstrap)
