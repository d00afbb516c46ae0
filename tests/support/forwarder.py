"""A TCP forwarder whose target a test may change while connections are open."""

import socket
import threading
from contextlib import suppress
from typing import Final

_CHUNK: Final = 65_536


class Forwarder:
    """Forwards and counts connections to (host, port); of several that answer, to each in turn.

    Changing the target closes open connections.
    """

    def __init__(self, *targets: tuple[str, int]) -> None:
        self.connections = 0
        self._targets = list(targets)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """host:port at which it listens."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def lead_to(self, target: tuple[str, int]) -> None:
        """Forward to another address from now on."""
        with self._lock:
            self._targets = [target]
            ended, self._open = self._open, set()
        for each in ended:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Listen no more, and end what is open."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.lead_to(self._targets[0])

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = self._next()
            if there is None:
                here.close()
                continue
            there.settimeout(None)
            with self._lock:
                self.connections += 1
                self._open |= {here, there}
            threading.Thread(target=_join, args=(here, there), daemon=True).start()

    def _next(self) -> socket.socket | None:
        """A connection to the next target that answers; None: none does."""
        for _ in range(len(self._targets)):
            with self._lock:
                target = self._targets.pop(0)
                self._targets.append(target)
            with suppress(OSError):
                return socket.create_connection(target, 5)
        return None


def _join(here: socket.socket, there: socket.socket) -> None:
    back = threading.Thread(target=_pass_on, args=(there, here), daemon=True)
    back.start()
    _pass_on(here, there)
    back.join()
    here.close()
    there.close()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    for each in (source, sink):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def target_of(bootstrap: str) -> tuple[str, int]:
    """host:port as an address."""
    host, _, port = bootstrap.rpartition(":")
    return host, int(port)
