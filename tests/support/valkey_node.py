"""A real Valkey server for tests, on a free port in a temporary folder."""

from pathlib import Path

import redis

from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.valkey_node import ValkeyNode


class ValkeyServer:
    """A server that a test may kill and start again; port and password stay the same."""

    def __init__(self, folder: Path) -> None:
        self._node = ValkeyNode(folder, free_ports(1)[0])
        self._node.prepare()
        self._process = ServerProcess(self._node.command(), folder / "valkey.log")

    @property
    def url(self) -> str:
        """The URL for clients, with the password."""
        return self._node.url

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process.start()
        wait_until(self._answers, 20, f"Valkey answers; see {self._process.log}")

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def stop(self) -> None:
        """SIGTERM."""
        self._process.stop()

    def _answers(self) -> bool:
        assert self._process.alive, f"Valkey ended: {self._process.log.read_text()[-2000:]}"
        with redis.Redis.from_url(self.url) as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False
