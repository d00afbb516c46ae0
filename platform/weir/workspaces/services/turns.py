"""Turns: long work of one person waits for other work of that person, and does not crowd out others."""

import asyncio
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakValueDictionary

from weir.workspaces.errors import BusyError
from weir.workspaces.services.idle_connections import give_back_connections

WAIT_S: Final = 30.0


class Turns:
    """A few turns at a time for each person or subject, in this process; what exceeds them waits. Nothing is
    kept of those who neither have one nor wait.

    Args:
        per_person: turns that one person may have at the same time.
    """

    def __init__(self, per_person: int) -> None:
        self._per_person: Final = per_person
        self._of_person: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, person: Hashable) -> asyncio.Semaphore:
        """What to hold (`async with`) while the work of this person runs.

        Args:
            person: a user's id, or what else the turns are for, such as a topic.
        """
        turns = self._of_person.get(person)
        if turns is None:
            turns = self._of_person[person] = asyncio.Semaphore(self._per_person)
        return turns


class ThreadTurns:
    """The same for work on threads, of which only a few may wait.

    Args:
        per_person: turns that one person may have at the same time.
        waiting: threads of one person that may wait for a turn.
    """

    def __init__(self, per_person: int, waiting: int) -> None:
        self._per_person: Final = per_person
        self._waiting: Final = waiting
        self._lock: Final = threading.Lock()
        self._of_person: WeakValueDictionary[int, _Queue] = WeakValueDictionary()

    @contextmanager
    def of(self, user_id: int) -> Iterator[bool]:
        """Hold a turn of this person; who has to wait for it holds no connection to a database meanwhile.

        Yields:
            Whether it had to be waited for, so that what was known before may be untrue.

        Raises:
            BusyError: too many wait already, or none became free within 30 s.
        """
        with self._lock:
            queue = self._of_person.get(user_id)
            if queue is None:
                queue = self._of_person[user_id] = _Queue(self._per_person, self._waiting)
        if not queue.places.acquire(blocking=False):
            raise BusyError
        try:
            has_waited = not queue.turns.acquire(blocking=False)
            if has_waited:
                give_back_connections()
                if not queue.turns.acquire(timeout=WAIT_S):
                    raise BusyError
            try:
                yield has_waited
            finally:
                queue.turns.release()
        finally:
            queue.places.release()


class _Queue:
    """One person's turns, and places of those who have one or wait for one."""

    def __init__(self, turns: int, waiting: int) -> None:
        self.turns = threading.Semaphore(turns)
        self.places = threading.Semaphore(turns + waiting)
