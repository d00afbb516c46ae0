"""Starting and ending real server processes in tests, on ports that are free."""

import fcntl
import inspect
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from tests.support.patience import PATIENCE


def free_ports(count: int) -> list[int]:
    """Different ports of loopback that nothing listens on now.

    They lie below those that the system gives to outgoing connections: a server that is stopped and started
    again must not find that somebody's connection took its port meanwhile. Nor does any process of tests get
    a port that another got, as long as that one lives: it may be seconds until a server listens.
    """
    found: list[int] = []
    while len(found) < count:
        port = secrets.randbelow(12_000) + 20_000
        if _is_reserved(port) and _is_free(port):
            found.append(port)
    return found


_reservations: Final[list[IO[str]]] = []


def _is_reserved(port: int) -> bool:
    """Reserve a port for this process; False: a process has it."""
    folder = Path(tempfile.gettempdir()) / "weir-test-ports"
    folder.mkdir(exist_ok=True)
    file = (folder / str(port)).open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return False
    _reservations.append(file)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def wait_until(
    condition: Callable[[], object],
    deadline_seconds: float,
    what: str,
    seen: Callable[[], object] | None = None,
) -> None:
    """Poll until the condition holds.

    Fail with what was awaited, and what was seen last, when the deadline passes.

    Args:
        condition: holds when its value is true.
        deadline_seconds: how long to wait, times `PATIENCE`.
        what: the condition in words.
        seen: asked at the deadline; None: the values that the condition's own text names are shown.
    """
    deadline_seconds *= PATIENCE
    end = time.monotonic() + deadline_seconds
    while not (last := condition()):
        if time.monotonic() > end:
            raise AssertionError(
                f"not within {deadline_seconds:g} s: {what}; last seen: "
                f"{seen() if seen is not None else _read(condition, last)}"
            )
        time.sleep(0.05)


def _read(condition: Callable[[], object], last: object) -> str:
    """What a condition is made of, as far as it is held by it: `results = […]`."""
    found = inspect.getclosurevars(condition).nonlocals if inspect.isfunction(condition) else {}
    shown = [f"{name} = {str(value)[:300]}" for name, value in found.items() if not callable(value)]
    return ", ".join([f"{last!r}", *shown])


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
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
            )

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
