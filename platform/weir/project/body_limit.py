"""A bound on request bodies, before anything reads them: Django's own bound does not see what
parsers read as a stream.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from weir.project.problem_details import CONTENT_TYPE, details

MAX_BODY: Final = 2 * 1024 * 1024
# Of a body that is refused: read and thrown away before the answer, because a client that still sends when
# the connection closes gets a reset instead of the answer.
MAX_DISCARDED: Final = 16 * 1024 * 1024
DISCARD_TIMEOUT_S: Final = 10.0

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class BodyLimit:
    """Answers 413 to a body larger than `most` bytes, said or sent."""

    def __init__(self, inner: Application, most: int = MAX_BODY) -> None:
        self.inner, self.most = inner, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands the request on, with its body counted."""
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if not said.isdigit() or int(said) > self.most:
            await self._refuse(receive, send)
            return
        taken = 0
        refused = False

        async def counted() -> Mapping[str, Any]:
            nonlocal taken, refused
            message = await receive()
            taken += len(message.get("body", b""))
            if taken <= self.most:
                return message
            if not refused:
                refused = True
                if message.get("more_body"):
                    await self._refuse(receive, send)
                else:
                    await _answer(send, self.most)
            return {"type": "http.disconnect"}

        async def unless_refused(message: Mapping[str, Any]) -> None:
            if not refused:
                await send(message)

        await self.inner(scope, counted, unless_refused)

    async def _refuse(self, receive: Receive, send: Send) -> None:
        """Answers when the client has sent all, or more than is waited for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DISCARD_TIMEOUT_S):
                await _discard(receive)
        await _answer(send, self.most)


async def _discard(receive: Receive) -> None:
    """Reads the rest of a body, `MAX_DISCARDED` bytes at most."""
    left = MAX_DISCARDED
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body"):
            return


async def _answer(send: Send, most: int) -> None:
    body = json.dumps(details(413, f"A request is limited to {most} bytes.", code="TOO_LARGE")).encode()
    headers = [
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
