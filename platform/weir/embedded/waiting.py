"""Waiting for processes to serve, without clients of their protocols."""

import http.client
import socket
import time
from collections.abc import Callable


class NotReadyError(Exception):
    """A process did not come up in time, or gave up; `program` names it."""

    def __init__(self, program: str, why: str) -> None:
        super().__init__(f"{program} {why}")
        self.program = program


def wait_for(program: str, ready: Callable[[], bool], gave_up: Callable[[], bool], deadline_seconds: float) -> None:
    """Poll until a program is ready.

    Args:
        program: its name, for the error.
        ready: is it?
        gave_up: has the supervisor stopped trying?
        deadline_seconds: how long to wait.

    Raises:
        NotReadyError: it gave up, or the time is over.
    """
    end = time.monotonic() + deadline_seconds
    while not ready():
        if gave_up():
            raise NotReadyError(program, "exits right after each start")
        if time.monotonic() > end:
            raise NotReadyError(program, f"is not ready after {deadline_seconds:g} s")
        time.sleep(0.1)


def listens(port: int) -> bool:
    """True when a connection to a port of loopback is accepted."""
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex(("127.0.0.1", port)) == 0


def is_free(port: int) -> bool:
    """True when we could listen on a port of loopback."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def is_healthy(port: int) -> bool:
    """True when the web process answers on ``/healthz``."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
