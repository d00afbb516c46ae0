"""The broker that `make run` starts: Weir's user, and an open listener or none."""

from dataclasses import replace
from pathlib import Path

from tests.support.kafka_archive import kafka_archive
from tests.support.processes import ServerProcess, free_ports
from weir.embedded.jars import install_jars
from weir.embedded.kafka_access import KafkaAccess
from weir.embedded.kafka_node import KafkaNode
from weir.embedded.kafka_rights import complete_access


class KafkaWithUser:
    """Started and stopped by tests; it may be started again with another shape over the same data.

    Args:
        folder: of its data, new.
        is_open: whether it has the open listener.
        has_user: False: as before Kafka had a user.
    """

    def __init__(self, folder: Path, *, is_open: bool = True, has_user: bool = True) -> None:
        port, secured, controller = free_ports(3)
        install_jars()
        self.access = KafkaAccess(folder, secured, is_open=is_open)
        access = self.access if has_user else None
        archive = kafka_archive()
        self.node = KafkaNode(folder, port, controller, heap_mb=384, archive=archive, access=access)
        self.log = folder.parent / f"{folder.name}.log"
        self._process: ServerProcess | None = None

    @property
    def bootstrap(self) -> str:
        """Of the open listener."""
        return self.node.bootstrap

    @property
    def options(self) -> dict[str, str]:
        """Of a client that has the user."""
        return self.access.client_options

    @property
    def pid(self) -> int:
        """The broker's process id."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it as `make run` does; wait until its user can sign in and the ACLs exist."""
        self.node.prepare()
        self._process = ServerProcess(self.node.command(), self.log)
        self._process.start()
        try:
            complete_access(self.node, 120)
        except BaseException:
            self._process.kill()
            raise

    def give_user(self) -> None:
        """From the next start on it has a user."""
        self.node = replace(self.node, access=self.access)

    def close_open_listener(self) -> None:
        """From the next start on it has no open listener."""
        self.access = replace(self.access, is_open=False)
        self.node = replace(self.node, access=self.access)

    def stop(self) -> None:
        """SIGTERM."""
        if self._process is not None:
            self._process.stop()
