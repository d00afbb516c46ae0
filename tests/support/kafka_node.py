"""A real Kafka node for tests: the embedded broker on free ports in a temporary folder."""

from pathlib import Path

from tests.support.kafka_archive import kafka_archive
from tests.support.kafka_topics import answers, create_topic, delete_topic, recreate_topic, topic_id
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import install_jars
from weir.embedded.kafka_node import KafkaNode


class _KeepingNode(KafkaNode):
    """Keeps old records: tests write them with old timestamps, which the default retention would delete.
    Topics
    with a retention of their own are looked at every second.
    """

    def properties(self) -> dict[str, str]:
        return {
            **super().properties(),
            "log.retention.hours": "1000000",
            "log.retention.check.interval.ms": "1000",
        }


class KafkaServer:
    """A broker that a test may kill and start again; ports and data stay the same."""

    def __init__(self, folder: Path) -> None:
        port, controller_port = free_ports(2)
        install_jars()
        self._node: KafkaNode = _KeepingNode(
            folder, port, controller_port, heap_mb=384, archive=kafka_archive()
        )
        self._node.prepare()
        self._process = ServerProcess(self._node.command(), folder / "kafka.log")

    @property
    def bootstrap(self) -> str:
        """Bootstrap servers for clients."""
        return self._node.bootstrap

    @property
    def pid(self) -> int:
        """The broker's process id."""
        return self._process.pid

    @property
    def log(self) -> Path:
        """What the broker printed."""
        return self._process.log

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process.start()
        try:
            wait_until(self._answers, 300, f"Kafka answers; see {self.log}")
        except BaseException:  # a test that ran out of time leaves no broker behind
            self._process.kill()
            raise

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def stop(self) -> None:
        """SIGTERM."""
        self._process.stop()

    def create_topic(self, name: str, partitions: int = 1, settings: dict[str, str] | None = None) -> None:
        """As `tests.support.kafka_topics.create_topic`."""
        create_topic(self.bootstrap, name, partitions, settings)

    def topic_id(self, name: str) -> str:
        """The id that Kafka gave a topic, which exists."""
        found = topic_id(self.bootstrap, name)
        assert found is not None, f"there is no topic {name}"
        return found

    def delete_topic(self, name: str) -> None:
        """As `tests.support.kafka_topics.delete_topic`."""
        delete_topic(self.bootstrap, name)

    def recreate_topic(self, name: str, partitions: int = 1) -> None:
        """As `tests.support.kafka_topics.recreate_topic`."""
        recreate_topic(self.bootstrap, name, partitions)

    def _answers(self) -> bool:
        assert self._process.alive, f"Kafka ended: {self.log.read_text()[-2000:]}"
        return answers(self.bootstrap)
