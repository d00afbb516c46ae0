"""Freshness of results: how old the newest input included in them is now. It grows while no result comes.

The relay writes it, because only the relay sees every result. A row of a database for each job every two
seconds would be a high price for a number that grows by itself: it is written when results came, and
otherwise when it has grown noticeably.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from weir.relay.result_topics import FollowedTopic
from weir.results.models import ALIAS, ResultRow

GROWTH: Final = 1.05
"""A greater freshness is written when it is so many times the written one."""

Stored = Callable[[FollowedTopic], int]


@dataclass(slots=True)
class _Known:
    run_id: str
    newest_us: int
    written_ms: int = 0


class Freshness:
    """Follows the newest input of each result topic.

    Args:
        stored: newest input in µs among the stored results of a topic, 0 for none; asked once, when a topic
            is seen for the first time.
    """

    def __init__(self, stored: Stored | None = None) -> None:
        self._stored = stored or newest_stored_us
        self._known: dict[str, _Known] = {}

    def due(self, now_us: int, newest: list[tuple[FollowedTopic, int]]) -> list[tuple[str, int]]:
        """What has to be written now: (run id, ms).

        Args:
            now_us: the present.
            newest: of every followed topic the newest input since the last call in µs; 0: no result came.
        """
        followed = {source.topic for source, _ in newest}
        for topic in self._known.keys() - followed:
            del self._known[topic]
        return [
            (source.run_id, ms)
            for source, newest_us in newest
            if (ms := self._written(source, newest_us, now_us)) is not None
        ]

    def ages_ms(self, now_us: int) -> dict[str, int]:
        """How old the newest input included in the results is, by run id; runs without results are missing.

        Args:
            now_us: the present.
        """
        return {
            known.run_id: max(0, (now_us - known.newest_us) // 1_000)
            for known in self._known.values()
            if known.newest_us
        }

    def _written(self, source: FollowedTopic, newest_us: int, now_us: int) -> int | None:
        known = self._known.get(source.topic)
        if known is None:
            known = self._known[source.topic] = _Known(source.run_id, min(self._stored(source), now_us))
        # Who writes records may have a clock that is ahead: they are as new as new can be, and grow old.
        known.newest_us = max(known.newest_us, min(newest_us, now_us))
        if not known.newest_us:
            return None
        ms = max(0, (now_us - known.newest_us) // 1_000)
        if not newest_us and ms <= known.written_ms * GROWTH:
            return None
        known.written_ms = ms
        return ms


def newest_stored_us(source: FollowedTopic) -> int:
    """The newest input among the stored results of a topic, µs; 0: nothing is stored."""
    rows = ResultRow.objects.using(ALIAS).filter(job_id=source.job_id, generation=source.generation)
    return rows.order_by("-newest_input_us").values_list("newest_input_us", flat=True).first() or 0
