"""A server that speaks just enough of Kafka's protocol to answer a question for topics with as many as it
likes.
"""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from jobs.connections import ClusterProfile

_METADATA, _API_VERSIONS = 3, 18
_UNSUPPORTED_VERSION: Final = 35


@dataclass(frozen=True)
class TalkativeKafka:
    """The listener of such a server, which is its cluster's only broker."""

    listener: socket.socket
    topics: int
    unasked: bool

    @property
    def profile(self) -> ClusterProfile:
        """A connection to it, of a cluster of its own."""
        port = self.listener.getsockname()[1]
        return ClusterProfile(cluster_id=f"talkative-{port}", bootstrap=f"127.0.0.1:{port}")

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, struct.error):
            while True:
                (length,) = struct.unpack(">i", connection.recv(4, socket.MSG_WAITALL))
                request = connection.recv(length, socket.MSG_WAITALL)
                key, version, number, name = struct.unpack_from(">hhih", request)
                if key == _API_VERSIONS:
                    body = self._versions(version)
                else:
                    (asked,) = struct.unpack_from(">i", request, 10 + name)
                    body = self._metadata(self.topics if asked or self.unasked else 0)
                connection.sendall(struct.pack(">ii", len(body) + 4, number) + body)

    def _versions(self, asked: int) -> bytes:
        known = ((_METADATA, 0, 4), (_API_VERSIONS, 0, 0))
        head = struct.pack(">hi", _UNSUPPORTED_VERSION if asked else 0, len(known))
        return head + b"".join(struct.pack(">hhh", *each) for each in known)

    def _metadata(self, count: int) -> bytes:
        port = self.listener.getsockname()[1]
        brokers = struct.pack(">ii", 1, 0) + _text("127.0.0.1") + struct.pack(">ih", port, -1)
        topics = b"".join(
            struct.pack(">h", 0)
            + _text(f"topic-{at:06}")
            + struct.pack(">bihiiiiii", 0, 1, 0, 0, 0, 1, 0, 1, 0)
            for at in range(count)
        )
        return struct.pack(">i", 0) + brokers + _text("talkative") + struct.pack(">ii", 0, count) + topics


def _text(text: str) -> bytes:
    return struct.pack(">h", len(text)) + text.encode()


@contextmanager
def talkative_kafka(topics: int, *, unasked: bool = False) -> Iterator[TalkativeKafka]:
    """A running server whose cluster has this many topics of one partition; `unasked`: it tells of them even
    where none was asked for.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = TalkativeKafka(listener, topics, unasked)
        threading.Thread(target=server._serve, daemon=True).start()
        yield server
