"""A bound on request bodies, before anything reads them: Django's own bound does not see what
parsers read as a stream.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from weir.project.problem_details import CONTENT_TYPE, details

MAX_BODY: Final = 2 * 1024 * 1024

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
            await self._refuse(send)
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
                await self._refuse(send)
            return {"type": "http.disconnect"}

        async def unless_refused(message: Mapping[str, Any]) -> None:
            if not refused:
                await send(message)

        await self.inner(scope, counted, unless_refused)

    async def _refuse(self, send: Send) -> None:
        body = json.dumps(
            details(413, f"A request is limited to {self.most} bytes.", code="TOO_LARGE")
        ).encode()
        headers = [
            (b"content-type", CONTENT_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})
