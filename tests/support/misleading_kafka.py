"""A broker that names another address than its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.kafka_node import KafkaNode


@dataclass(frozen=True)
class _Misleading(KafkaNode):
    advertised: str = ""

    def properties(self) -> dict[str, str]:
        base = super().properties()
        controller = f"CONTROLLER://127.0.0.1:{self.controller_port}"
        return base | {"advertised.listeners": f"PLAINTEXT://{self.advertised},{controller}"}


@contextmanager
def misleading_kafka(folder: Path, advertised: str) -> Iterator[KafkaNode]:
    """A running broker that advertises this host:port."""
    port, controller = free_ports(2)
    node = _Misleading(folder / "misleading", port, controller, heap_mb=256, advertised=advertised)
    node.prepare()
    process = ServerProcess(node.command(), folder / "misleading.log")
    process.start()
    try:
        wait_until(lambda: _answers(node.bootstrap), 120, f"the broker answers; see {process.log}")
        yield node
    finally:
        process.stop()


def _answers(bootstrap: str) -> bool:
    """Asked by the probe, because every other client would ring at the advertised address."""
    try:
        return bool(probe(ClusterProfile(cluster_id="probe", bootstrap=bootstrap)).identity.brokers)
    except ProbeError:
        return False
