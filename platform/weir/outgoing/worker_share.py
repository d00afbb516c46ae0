"""How much of a worker may wait for receivers: its threads look after the jobs of all workspaces, too."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MAX_AT_ONCE: Final = 2  # deliveries in a process, of the eight threads of a worker
TURN_S: Final = 30.0  # of one delivery; what is left then is delivered after others had their turn


class WorkerShare:
    """Turns of workspaces, one of each at a time. Nobody waits for one: the outboxes know what is left."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._delivering: Final[set[int | None]] = set()

    @contextmanager
    def of(self, workspace_id: int | None) -> Iterator[bool]:
        """Hold a turn of this workspace; False: there is none now."""
        with self._lock:
            is_free = workspace_id not in self._delivering and len(self._delivering) < MAX_AT_ONCE
            if is_free:
                self._delivering.add(workspace_id)
        try:
            yield is_free
        finally:
            if is_free:
                with self._lock:
                    self._delivering.discard(workspace_id)


WORKER_SHARE: Final = WorkerShare()
