"""A browser that does not read, over real TCP and the real server."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from asgiref.sync import sync_to_async
from websockets.asyncio.client import connect as connect_socket

from tests.integration.live.conftest import Results
from tests.support.processes import free_ports, wait_until
from tests.support.users import session_of
from weir.live import connection, metrics
from weir.live.hub import hub
from weir.project.asgi import application
from weir.workspaces.models import User

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]


class Server(uvicorn.Server):
    """uvicorn in a thread, which ends its hub with its loop."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await hub().close()
        await super().shutdown(sockets)


@pytest.fixture
def port() -> Iterator[int]:
    (number,) = free_ports(1)
    config = uvicorn.Config(
        application,
        port=number,
        lifespan="off",
        ws_per_message_deflate=False,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started, 20, "the server is up")
    yield number
    server.should_exit = True
    thread.join(20)


def options(cookie: str, port: int) -> dict[str, Any]:
    return {
        "uri": f"ws://localhost:{port}/ws/live",
        "additional_headers": {"Cookie": f"weir_session={cookie}"},
        "origin": f"http://localhost:{port}",
        "compression": None,
        "max_size": None,
    }


async def test_a_reader_that_never_reads_is_bounded_and_cut_off_while_others_go_on(
    results: Results, owner: User, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "STALL_TIMEOUT_S", 0.5)
    monkeypatch.setattr(connection, "CLOSE_TIMEOUT_S", 0.5)
    cookie = await sync_to_async(session_of)(owner)
    subscription = json.dumps(
        {
            "op": "subscribe",
            "id": 1,
            "channel": f"results/{results.job.pk}",
            "workspace": "ops",
            "interval_ms": 0,
        }
    )
    overloaded = metrics.CLOSES.labels(code="1013")._value.get
    before = overloaded()
    async with connect_socket(**options(cookie, port)) as good:
        await good.send(subscription)
        idle = await asyncio.to_thread(_handshake, cookie, port, subscription)
        content, done = {}, asyncio.Event()
        value = json.dumps({"n": 1, "text": "x" * 2_000})

        def write() -> None:
            at = 0
            while overloaded() == before and at < 400_000:
                for _ in range(200):
                    results.write(f"k{at % 5_000}", value)
                    at += 1
                results.flush()
            results.write("last", "{}")
            results.flush()

        writing = asyncio.create_task(asyncio.to_thread(write))
        async with asyncio.timeout(120):
            while not done.is_set():
                frame = json.loads(await good.recv())
                for row in frame.get("rows", []):
                    content[row["k"]] = row["v"]
                if '["last"]' in content:
                    done.set()
        await writing
        assert overloaded() == before + 1
        idle.settimeout(20)
        await asyncio.to_thread(_drained, idle)


def _handshake(cookie: str, port: int, subscription: str) -> socket.socket:
    """A raw socket with a small window that subscribes and then reads nothing."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", port))
    head = (
        f"GET /ws/live HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"
        f"Cookie: weir_session={cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    raw.sendall(head.encode())
    assert raw.recv(12) == b"HTTP/1.1 101"
    body = subscription.encode()
    raw.sendall(bytes([0x81, 0x80 | 126]) + len(body).to_bytes(2, "big") + b"\0\0\0\0" + body)
    return raw


def _drained(raw: socket.socket) -> None:
    """The server let go of the socket: what it had sent can be read, then there is an end."""
    try:
        while raw.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    finally:
        raw.close()


async def test_changes_reach_a_client_within_milliseconds(results: Results, owner: User, port: int) -> None:
    cookie = await sync_to_async(session_of)(owner)
    delays: list[float] = []
    async with connect_socket(**options(cookie, port)) as client:
        await client.send(
            json.dumps(
                {
                    "op": "subscribe",
                    "id": 1,
                    "channel": f"results/{results.job.pk}",
                    "workspace": "ops",
                    "interval_ms": 0,
                }
            )
        )
        while json.loads(await client.recv())["op"] != "snapshot":
            pass

        def write() -> None:
            for at in range(1_000):
                results.write(f"k{at % 20}", json.dumps({"sent": time.time()}))
                time.sleep(0.001)
            results.flush()

        writing = asyncio.create_task(asyncio.to_thread(write))
        async with asyncio.timeout(60):
            while len(delays) < 1_000:
                frame = json.loads(await client.recv())
                now = time.time()
                delays += [now - row["v"]["sent"] for row in frame.get("rows", [])]
        await writing
    delays.sort()
    print(
        f"producer → client: p50 {delays[500] * 1e3:.1f} ms, p99 {delays[990] * 1e3:.1f} ms, "
        f"max {delays[-1] * 1e3:.1f} ms"
    )
    assert delays[100] < 0.1, "nothing polls; a busy machine takes its time from the others"
