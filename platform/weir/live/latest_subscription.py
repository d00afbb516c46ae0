"""A subscription whose frames replace each other: lag, and the states of runs. The newest per subject waits."""

import asyncio
from collections.abc import Iterator
from typing import Any

from weir.live import frames
from weir.live.connection import Connection


class LatestSubscription:
    """Keeps the newest frame per subject until it can be sent."""

    def __init__(self, connection: Connection, id: int, kind: str, subject: str, workspace_id: int) -> None:
        self.id = id
        self.kind = kind
        self.subject = subject
        self.workspace_id = workspace_id
        self.closed = False
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._frames: dict[str, str] = {}
        self._told: dict[str, Any] = {}

    @property
    def size(self) -> int:
        """Characters that wait."""
        return sum(map(len, self._frames.values()))

    def last_cursor(self) -> str | None:
        """These channels have no cursor: what they say is always the whole present."""
        return None

    def tell(self, op: str, subject: str, body: dict[str, Any]) -> None:
        """Send this unless the client has it already."""
        if self.closed or self._told.get(subject) == body:
            return
        self._told[subject] = body
        self._frames[subject] = frames.frame(op, id=self.id, **body)
        self._connection.mark(self)

    def settle(self, subjects: set[str]) -> None:
        """Nothing more will be said of these subjects; what waits still goes out."""
        for subject in subjects:
            self._told.pop(subject, None)

    @property
    def told(self) -> set[str]:
        """Subjects that the client was told of."""
        return set(self._told)

    def due(self) -> float | None:
        """At once, whenever something waits."""
        return 0.0 if self._frames else None

    def take(self) -> Iterator[str]:
        """The frames that wait."""
        waiting, self._frames = self._frames, {}
        yield from waiting.values()

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._frames.clear()
