"""A subscription whose frames replace each other: lag, and states of runs. Only the
newest frame per subject waits.
"""

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
        self._sent: dict[str, Any] = {}

    @property
    def size(self) -> int:
        """Characters that wait to be sent."""
        return sum(map(len, self._frames.values()))

    def last_cursor(self) -> str | None:
        """These channels have no cursor: every frame contains the full current state."""
        return None

    def send(self, op: str, subject: str, body: dict[str, Any]) -> None:
        """Queue a frame unless the client has the same one already."""
        if self.closed or self._sent.get(subject) == body:
            return
        self._sent[subject] = body
        self._frames[subject] = frames.frame(op, id=self.id, **body)
        self._connection.mark(self)

    def settle(self, subjects: set[str]) -> None:
        """Drop these subjects; frames that wait are still sent."""
        for subject in subjects:
            self._sent.pop(subject, None)

    @property
    def sent_subjects(self) -> set[str]:
        """Subjects that frames were sent about."""
        return set(self._sent)

    def due(self) -> float | None:
        """Immediately, whenever a frame waits."""
        return 0.0 if self._frames else None

    def take(self) -> Iterator[str]:
        """The waiting frames, until the subscription ends."""
        waiting, self._frames = self._frames, {}
        for text in waiting.values():
            if self.closed:
                return
            yield text

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._frames.clear()
