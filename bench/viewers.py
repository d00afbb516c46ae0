"""Many WebSocket viewers in one process: ``python -m bench.viewers``, with a `Viewing` as JSON on its input.

It prints ``ready`` once all are subscribed, and a `Viewed` as JSON at the end. The protocol is spoken by
hand: a library would take more processor time for a thousand sockets than the server that is measured.
"""

import asyncio
import base64
import json
import os
import re
import socket
import sys
import time
from array import array
from dataclasses import asdict, dataclass
from typing import Final

from hdrh.histogram import HdrHistogram

from bench.results import summary

_SENT: Final = re.compile(rb'"sent":(\d+)')
_DELTA: Final = b'"op":"delta"'
_TEXT: Final = 1
_PING: Final = 9
_PONG: Final = 10
_STALLED_BUFFER: Final = 4_096  # bytes that the kernel takes for who does not read


@dataclass(frozen=True)
class Viewer:
    """One connection.

    Attributes:
        cookie: of its session; empty: none.
        subscription: text of the first frame; empty: it sends none.
        stalls: it stops reading once it is subscribed.
    """

    cookie: str
    subscription: str
    stalls: bool = False


@dataclass(frozen=True)
class Viewing:
    """What the process does.

    Attributes:
        port: of the server, on loopback.
        path: of the WebSocket.
        viewers: the connections.
        settle_seconds: from ready to the first delivery that counts.
        seconds: how long deliveries count.
    """

    port: int
    path: str
    viewers: list[Viewer]
    settle_seconds: float
    seconds: float


@dataclass(frozen=True)
class Viewed:
    """What came: frames with changes at those who read, and their latency from `sent` in the newest row."""

    deliveries: int
    latency_ms: dict[str, float]
    lost: int


class _Socket(asyncio.Protocol):
    """A viewer. Frames of the server are unmasked and, here, never in pieces."""

    def __init__(self, viewer: Viewer, hall: "_Hall") -> None:
        self._viewer, self._hall = viewer, hall
        self._held = b""
        self._is_open = self._is_subscribed = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {self._hall.viewing.path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._hall.viewing.port}",
            f"Origin: http://127.0.0.1:{self._hall.viewing.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
        ]
        lines += [f"Cookie: weir_session={self._viewer.cookie}"] if self._viewer.cookie else []
        transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        self._held += data
        if not self._is_open:
            head, end, rest = self._held.partition(b"\r\n\r\n")
            if not end:
                return
            assert b" 101 " in head.split(b"\r\n", 1)[0], head
            self._is_open, self._held = True, rest
            self._subscribe()
        while (frame := self._next()) is not None:
            opcode, payload = frame
            if opcode == _PING:
                self._send(_PONG, payload)
            else:
                self._frame(payload)

    def _subscribe(self) -> None:
        if self._viewer.subscription:
            self._send(_TEXT, self._viewer.subscription.encode())
        else:
            self._subscribed()

    def _send(self, opcode: int, payload: bytes) -> None:
        """A frame with a mask, as clients must; one of zeros changes nothing."""
        assert self._transport is not None
        size = (
            bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
        )
        self._transport.write(bytes([0x80 | opcode]) + size + bytes(4) + payload)

    def _next(self) -> tuple[int, bytes] | None:
        """Opcode and payload of the next frame, when it is there as a whole."""
        held = self._held
        if len(held) < 2:
            return None
        size, begin = held[1], 2
        if size == 126:
            size, begin = int.from_bytes(held[2:4], "big"), 4
        elif size == 127:
            size, begin = int.from_bytes(held[2:10], "big"), 10
        if len(held) < begin + size:
            return None
        self._held = held[begin + size :]
        return held[0] & 0x0F, held[begin : begin + size]

    def _frame(self, payload: bytes) -> None:
        if _DELTA in payload[:32]:
            self._hall.delivered(payload)
        elif b'"subscribed"' in payload:
            self._subscribed()
        elif b'"error"' in payload[:32]:
            raise AssertionError(f"the server refused: {payload[:500]!r}")

    def _subscribed(self) -> None:
        if not self._is_subscribed:
            self._is_subscribed = True
            self._hall.subscribed()
            if self._viewer.stalls and self._transport is not None:
                self._transport.pause_reading()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self._viewer.stalls:
            self._hall.lost += 1


class _Hall:
    """All viewers, and what they have got."""

    def __init__(self, viewing: Viewing) -> None:
        self.viewing = viewing
        self.lost = 0
        self.all_subscribed = asyncio.Event()
        self._missing = len(viewing.viewers)
        self._counts = False
        self._latencies_us = array("q")

    def subscribed(self) -> None:
        self._missing -= 1
        if not self._missing:
            self.all_subscribed.set()

    def delivered(self, payload: bytes) -> None:
        if self._counts:
            sent = _SENT.findall(payload)
            self._latencies_us.append(time.time_ns() // 1_000 - int(sent[-1]))

    async def view(self) -> Viewed:
        loop = asyncio.get_running_loop()
        for viewer in self.viewing.viewers:
            raw = socket.socket()
            if viewer.stalls:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _STALLED_BUFFER)
            raw.setblocking(False)
            await loop.sock_connect(raw, ("127.0.0.1", self.viewing.port))
            await loop.create_connection(lambda of=viewer: _Socket(of, self), sock=raw)  # type: ignore[misc]
        async with asyncio.timeout(120):
            await self.all_subscribed.wait()
        print("ready", flush=True)
        await asyncio.sleep(self.viewing.settle_seconds)
        self._counts, lost = True, self.lost
        await asyncio.sleep(self.viewing.seconds)
        self._counts = False
        histogram = HdrHistogram(1, 600_000_000, 3)
        for latency in self._latencies_us:
            histogram.record_value(max(1, latency))
        return Viewed(len(self._latencies_us), summary(histogram), self.lost - lost)


def main() -> None:
    """View as asked on the standard input."""
    asked = json.loads(sys.stdin.readline())
    viewing = Viewing(**{**asked, "viewers": [Viewer(**each) for each in asked["viewers"]]})

    async def view() -> Viewed:
        return await _Hall(viewing).view()

    print(json.dumps(asdict(asyncio.run(view()))), flush=True)


if __name__ == "__main__":
    main()
