"""A Kafka cluster of three nodes, each a broker and a controller; a test may kill one of them."""

import subprocess
import uuid
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import install_jars
from weir.embedded.kafka_node import KafkaNode

NODES: Final = 3


@dataclass(frozen=True)
class _Node(KafkaNode):
    number: int = 0
    voters: str = ""
    cluster_id: str = ""

    def properties(self) -> dict[str, str]:
        found = super().properties()
        del found["controller.quorum.bootstrap.servers"]
        replicated = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
        return (
            found
            | {"node.id": str(self.number), "controller.quorum.voters": self.voters}
            | {"default.replication.factor": str(NODES), "min.insync.replicas": "2"}
            | {f"{name}.replication.factor": str(NODES) for name in replicated}
            | {f"{name}.min.isr": "2" for name in replicated[1:]}
        )

    def _format(self, java: str) -> None:
        command = [*self._java(java, 128, "kafka.tools.StorageTool"), "format"]
        command += [f"--cluster-id={self.cluster_id}", "--config", str(self.properties_file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


class KafkaCluster:
    """Three nodes without users.

    Args:
        folder: new.
    """

    def __init__(self, folder: Path) -> None:
        install_jars()
        ports = free_ports(2 * NODES)
        pairs = list(zip(ports[:NODES], ports[NODES:], strict=True))
        voters = ",".join(
            f"{number}@127.0.0.1:{controller}" for number, (_, controller) in enumerate(pairs, 1)
        )
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        nodes = [
            _Node(
                folder / f"node-{number}", port, controller, heap_mb=384,
                number=number, voters=voters, cluster_id=cluster,
            )
            for number, (port, controller) in enumerate(pairs, 1)
        ]  # fmt: skip
        self.bootstrap = ",".join(node.bootstrap for node in nodes)
        for node in nodes:
            node.prepare()
        self.nodes = [ServerProcess(node.command(), node.folder / "kafka.log") for node in nodes]

    def start(self) -> None:
        """Start all and wait until each of them knows all."""
        for node in self.nodes:
            node.start()
        wait_until(lambda: self.brokers() == NODES, 180, "the three nodes are one cluster")

    def stop(self) -> None:
        """SIGTERM, and soon SIGKILL: the last node would wait for the others."""
        for node in self.nodes:
            node.stop(1)

    def brokers(self) -> int:
        """How many are there; 0 while none answers."""
        try:
            admin = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})
            return len(admin.list_topics(timeout=3).brokers)
        except KafkaException:
            return 0
