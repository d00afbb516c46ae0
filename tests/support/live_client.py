"""A client of /ws/live inside the test's own event loop, on the real application.

Channels has such a communicator too, but its package wants daphne.
"""

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

from asgiref.testing import ApplicationCommunicator

from tests.support.patience import PATIENCE
from weir.project.asgi import application

Frame = dict[str, Any]
ORIGIN = (b"origin", b"http://localhost")


class LiveClient:
    """Collects frames and applies them as a browser does."""

    def __init__(
        self,
        session_cookie: str | None = None,
        query: str = "",
        headers: list[tuple[bytes, bytes]] | None = None,
    ) -> None:
        sent = [ORIGIN, (b"host", b"localhost")] if headers is None else headers
        if session_cookie is not None:
            sent = [*sent, (b"cookie", f"weir_session={session_cookie}".encode())]
        scope = {
            "type": "websocket",
            "path": "/ws/live",
            "query_string": query.encode(),
            "headers": sent,
            "subprotocols": [],
            "client": ("127.0.0.1", 1),
        }
        self._socket = ApplicationCommunicator(application, scope)
        self.frames: list[Frame] = []
        self.content: dict[str, Any] = {}
        self.cursor: str | None = None
        self.closed_with: int | None = None

    async def connect(self) -> bool:
        """True when the socket was accepted."""
        await self._socket.send_input({"type": "websocket.connect"})
        answer = await self._socket.receive_output(timeout=10)
        return bool(answer["type"] == "websocket.accept")

    async def send(self, **frame: Any) -> None:
        """Send a frame."""
        await self.send_text(json.dumps(frame))

    async def send_text(self, text: str) -> None:
        """Send whatever it is."""
        await self._socket.send_input({"type": "websocket.receive", "text": text})

    async def subscribe(self, channel: str, id: int = 1, workspace: str = "ops", **more: Any) -> None:
        """Send a subscription."""
        await self.send(op="subscribe", id=id, channel=channel, workspace=workspace, **more)

    async def next(self) -> Frame | None:
        """The next frame, applied; None when the socket was closed."""
        message = await self._socket.receive_output(timeout=30)
        if message["type"] == "websocket.close":
            self.closed_with = message.get("code", 1000)
            return None
        frame: Frame = json.loads(message["text"])
        self.frames.append(frame)
        self._apply(frame)
        return frame

    def _apply(self, frame: Frame) -> None:
        if frame["op"] == "gap":
            self.content.clear()
        if frame["op"] in ("snapshot", "delta"):
            for row in frame["rows"]:
                self.content.pop(row["k"], None)
                if row["v"] is not None:
                    self.content[row["k"]] = row["v"]
            self.cursor = frame["cursor"] or self.cursor

    async def until(self, condition: Callable[[], bool], deadline_s: float = 30) -> None:
        """Read frames until the condition holds.

        After the deadline fail with its text and the last frames.
        """
        deadline_s *= PATIENCE
        try:
            async with asyncio.timeout(deadline_s):
                while not condition():
                    assert await self.next() is not None, (
                        f"closed with {self.closed_with}: {self.frames[-3:]}"
                    )
        except TimeoutError as error:
            what = inspect.getsource(condition).strip()
            raise AssertionError(
                f"not within {deadline_s:g} s: {what}; the last frames: {self.frames[-3:]}"
            ) from error

    async def until_op(self, op: str, **fields: Any) -> Frame:
        """Read until a frame of this kind with these fields has come, also one that came before."""

        def matching() -> list[Frame]:
            return [f for f in self.frames if f["op"] == op and fields.items() <= f.items()]

        try:
            await self.until(lambda: bool(matching()))
        except AssertionError as error:
            raise AssertionError(f"no frame {op} with {fields}: {error}") from error
        return matching()[-1]

    async def until_closed(self) -> int:
        """Read until the server closes; the code."""
        try:
            async with asyncio.timeout(30):
                while await self.next() is not None:
                    pass
        except TimeoutError as error:
            raise AssertionError(f"not closed within 30 s; the last frames: {self.frames[-3:]}") from error
        assert self.closed_with is not None
        return self.closed_with

    async def leave(self) -> None:
        """Go away."""
        await self._socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await self._socket.wait(timeout=10)
