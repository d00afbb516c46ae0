"""Checks whether processes are ready, without clients of their protocols."""

import http.client
import socket
import time
from collections.abc import Callable
from typing import Final

# For a machine that is busy with other things; a process that gives up is noticed at once.
START_TIMEOUT_S: Final = 300


class NotReadyError(Exception):
    """A process (`program`) did not get ready in time, or exits at each start."""

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(f"{program} {reason}")
        self.program = program


def wait_for(program: str, ready: Callable[[], bool], gave_up: Callable[[], bool], timeout_s: float) -> None:
    """Poll until a program is ready.

    Args:
        program: its name, for the error.
        ready: whether it is ready.
        gave_up: whether the supervisor has stopped restarting it.
        timeout_s: how long to wait.

    Raises:
        NotReadyError: the supervisor gave up, or the wait timed out.
    """
    end = time.monotonic() + timeout_s
    while not ready():
        if gave_up():
            raise NotReadyError(program, "exits right after each start")
        if time.monotonic() > end:
            raise NotReadyError(program, f"is not ready after {timeout_s:g} s")
        time.sleep(0.1)


def listens(port: int) -> bool:
    """True when a loopback port accepts connections."""
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex(("127.0.0.1", port)) == 0


def is_free(port: int) -> bool:
    """True when a loopback port can be bound."""
    return bind_error(port) is None


def bind_error(port: int) -> OSError | None:
    """Why a loopback port can't be bound; None when it can."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            return error
        return None


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
