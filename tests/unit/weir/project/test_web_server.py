"""What the web service's server takes of a client before the application hears of a request."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from weir.project.web_server import MAX_HEAD, WebWorker

CHUNK = b"a: " + b"b" * 1_021 + b"\r\n"  # 1 KiB and a little


async def application(_: Any, __: Any, send: Callable[[Any], Any]) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def web_server() -> AsyncIterator[int]:
    """The port of a server with the settings of Weir's."""
    config = uvicorn.Config(application, port=0, lifespan="off", log_config=None, **WebWorker.CONFIG_KWARGS)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await serving


async def sent_until_closed(port: int, begin: bytes, piece: bytes, most: int) -> tuple[int, bytes]:
    """How many bytes the server took of a head that never ends, and what it answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begin)
    sent = len(begin)
    try:
        while sent < most and not reader.at_eof():
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
            await asyncio.sleep(0)
        answer = await asyncio.wait_for(reader.read(), 10) if reader.at_eof() else b""
    except ConnectionError:
        answer = b""
    finally:
        writer.close()
    return sent, answer


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\n", CHUNK),
        (b"GET / HTTP/1.1\r\nHost: a\r\na: ", b"b" * 1_024),
        (b"GET /", b"x" * 1_024),
        (b"", b"x" * 1_024),
    ],
    ids=["many headers", "a long header", "a long line", "a long method"],
)
async def test_a_head_without_end_is_not_kept(begin: bytes, piece: bytes) -> None:
    async with web_server() as port:
        sent, answer = await sent_until_closed(port, begin, piece, 24 << 20)
        # Beyond the bound are what the two sockets hold.
        assert sent < MAX_HEAD + (16 << 20)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


async def test_a_head_as_large_as_browsers_send_is_taken() -> None:
    async with web_server() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n" + CHUNK * 40 + b"Connection: close\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 204")
        writer.close()
