"""A network whose addresses answer nobody, and a clock that the waiting for them turns."""

import socket
import time
from typing import Any

import pytest


class SilentNetwork:
    """Takes the place of the resolver, of sockets and of the monotonic clock for a test.

    Args:
        monkeypatch: of the test.
        addresses: that each name has.
        lookup_s: seconds that it takes to look up a name.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, addresses: int, lookup_s: float = 0.0) -> None:
        self.now = 0.0  # seconds
        self._addresses = addresses
        self._lookup_s = lookup_s
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)
        monkeypatch.setattr(socket, "socket", lambda *_: _Silent(self))
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def _look_up(self, host: str, port: int, *_: object, **__: object) -> list[tuple[Any, ...]]:
        is_address = host.replace(".", "").isdigit()
        if not is_address:
            self.now += self._lookup_s
        hosts = [host] if is_address else [f"203.0.{n // 250}.{n % 250 + 1}" for n in range(self._addresses)]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in hosts]


class _Silent:
    def __init__(self, network: SilentNetwork) -> None:
        self._network = network
        self._timeout_s = 0.0

    def settimeout(self, seconds: float) -> None:
        self._timeout_s = seconds

    def connect(self, _: object) -> None:
        self._network.now += self._timeout_s
        raise TimeoutError("timed out")

    def close(self) -> None:
        pass
