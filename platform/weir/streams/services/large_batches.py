"""Scans of topics whose batches are large once they are unpacked take turns
(`docs/decisions/2026-11-23-large-batches.md`).

Kafka's client unpacks a compressed batch as a whole, whatever is asked for, and a megabyte may become a
gigabyte. So a scan that got nothing within seconds, or more at once than was to be fetched, marks its topic:
the marked topics of a cluster are scanned one at a time in this process, and with more time until the first
record, without which no scan would ever come past such a batch. A topic that this process has not scanned yet
is scanned once before it is scanned several times at once.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakValueDictionary

from jobs.connections import ClusterProfile
from weir.workspaces.errors import BusyError

FIRST_RECORD_S: Final = 20.0
WAIT_S: Final = 30.0
_REMEMBERED_S: Final = 600.0
_MAX_REMEMBERED: Final = 10_000


class _Turn:
    """A lock that a weak dictionary can hold."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class LargeBatches:
    """What this process knows of topics' batches. Safe for threads."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._large: Final[dict[tuple[str, str], tuple[bool, float]]] = {}  # and until when it is remembered
        self._turns: Final[WeakValueDictionary[tuple[str, str], _Turn]] = WeakValueDictionary()

    def is_large(self, profile: ClusterProfile, topic: str) -> bool:
        """Whether the topic is marked."""
        with self._lock:
            return self._known((profile.cluster_id, topic)) is True

    def note(self, profile: ClusterProfile, topic: str, *, large: bool) -> None:
        """Remember for ten minutes what a scan or a tail has seen."""
        with self._lock:
            if len(self._large) >= _MAX_REMEMBERED:
                self._large.clear()
            self._large[profile.cluster_id, topic] = large, time.monotonic() + _REMEMBERED_S

    @contextmanager
    def turn(self, profile: ClusterProfile, topic: str) -> Iterator[None]:
        """Hold what a scan of this topic needs: nothing for a topic with ordinary batches.

        Raises:
            BusyError: others scan for 30 s already.
        """
        turn = self._turn(profile.cluster_id, topic)
        if turn is None:
            yield
            return
        if not turn.lock.acquire(timeout=WAIT_S):
            raise BusyError
        try:
            yield
        finally:
            turn.lock.release()

    def _turn(self, cluster_id: str, topic: str) -> _Turn | None:
        with self._lock:
            known = self._known((cluster_id, topic))
            if known is False:
                return None
            key = (cluster_id, "" if known else topic)  # one turn for all that are marked
            turn = self._turns.get(key)
            if turn is None:
                turn = self._turns[key] = _Turn()
            return turn

    def _known(self, key: tuple[str, str]) -> bool | None:
        large, until = self._large.get(key, (None, 0.0))
        return large if until > time.monotonic() else None


large_batches: Final = LargeBatches()
