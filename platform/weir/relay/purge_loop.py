"""The relay's fifth loop, in its own thread: deletes expired rows, surplus rows of append results, and
deleted generations from the database of results.

It deletes in slices and pauses as long as each took, so that the loop that stores results gets its turn. It
may run in several relays at once.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from django.db import DatabaseError, close_old_connections, connections

from weir.relay.result_topics import FollowedTopic, followed_topics
from weir.results.models import ResultTopic
from weir.results.services.purge import (
    SLICE_ROWS,
    delete_generation,
    oldest_ms,
    purge_older,
    purge_oldest,
    surplus_rows,
)
from weir.retention import RESULT_MAX_ROWS, RESULT_PURGE_INTERVAL_S

_LOG: Final = logging.getLogger(__name__)
_SHARE: Final = 0.05  # of the time may go into looking for expired rows of one result
Result = tuple[str, int]
"""Job id and generation."""


class PurgeLoop:
    """Runs until `stop` is set; it logs errors of the database and tries again."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        # When a result may have expired rows again, with the retention by which that was found.
        self._next_ms: dict[Result, tuple[int, float]] = {}

    def run(self) -> None:
        """Delete every 30 seconds until `stop` is set."""
        try:
            while not self._stop.wait(RESULT_PURGE_INTERVAL_S):
                try:
                    close_old_connections()
                    self.purge(time.time_ns() // 1_000_000)
                except DatabaseError as error:
                    _LOG.warning("expired results: the database: %s", error)
                    connections.close_all()
                except Exception:  # noqa: BLE001
                    # the next one tries again: without this loop, results grow until the disk is full
                    _LOG.exception("expired results")
                    connections.close_all()
        finally:
            connections.close_all()

    def purge(self, now_ms: int) -> None:
        """Delete all that need not be kept.

        Args:
            now_ms: the present, in Unix ms.
        """
        # In this order: what is stored by now and is not followed has been replaced or deleted.
        stored: set[Result] = set(ResultTopic.objects.values_list("job_id", "generation"))
        followed = {(one.job_id, one.generation): one for one in followed_topics().values()}
        self._next_ms = {result: at for result, at in self._next_ms.items() if result in followed}
        for result in stored - followed.keys():
            self._alone(result, partial(self._in_slices, partial(delete_generation, *result)))
        for result, topic in followed.items():
            self._alone(result, partial(self._of_followed, topic, now_ms))

    def _alone(self, result: Result, work: Callable[[], None]) -> None:
        """What the database does not manage for one result, as within a statement's time, keeps nobody from
        the others.
        """
        try:
            work()
        except DatabaseError as error:
            _LOG.warning("expired results of %s.%s: the database: %s", *result, error)
            connections.close_all()

    def _of_followed(self, topic: FollowedTopic, now_ms: int) -> None:
        if topic.retention_ms is not None:
            self._expired(topic, topic.retention_ms, now_ms)
        if topic.append_only:
            result = topic.job_id, topic.generation
            left = surplus_rows(*result, RESULT_MAX_ROWS)

            def purge_slice() -> int:
                nonlocal left
                deleted = purge_oldest(*result, left)
                left -= deleted
                return deleted

            self._in_slices(purge_slice)

    def _expired(self, topic: FollowedTopic, retention_ms: int, now_ms: int) -> None:
        """Nothing tells the oldest row but all of them, so it is kept when the next may expire."""
        result = topic.job_id, topic.generation
        known_of, next_ms = self._next_ms.get(result, (retention_ms, 0))
        if known_of == retention_ms and now_ms < next_ms:
            return
        began = time.monotonic()
        oldest = oldest_ms(*result)
        took_ms = (time.monotonic() - began) * 1_000
        before = now_ms - retention_ms
        if oldest is not None and oldest < before:
            self._in_slices(partial(purge_older, *result, before))
            oldest = before
        expires = now_ms if oldest is None else oldest + retention_ms
        self._next_ms[result] = retention_ms, max(expires, now_ms + took_ms / _SHARE)

    def _in_slices(self, delete: Callable[[], int]) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            if delete() < SLICE_ROWS:
                return
            self._stop.wait(time.monotonic() - began)
