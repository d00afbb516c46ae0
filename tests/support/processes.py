"""Starting and ending real server processes in tests, on ports that are free."""

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nothing listens on now; all are held open together so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def wait_until(condition: Callable[[], bool], deadline_seconds: float, what: str) -> None:
    """Poll until the condition holds; fail with what was awaited when the deadline passes."""
    end = time.monotonic() + deadline_seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline_seconds} s: {what}")
        time.sleep(0.05)


class ServerProcess:
    """A process in the foreground with its log file."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._command, self.log = command, log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The running process's id."""
        assert self._process is not None, "not started"
        return self._process.pid

    @property
    def alive(self) -> bool:
        """True while it runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it; its output goes to the end of the log."""
        assert not self.alive
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)

    def stop(self, deadline_seconds: float = 20) -> None:
        """SIGTERM, then SIGKILL at the deadline."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(deadline_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
