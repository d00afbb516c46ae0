"""How many rows each node of a run gives per second, from what the batches of the last minute counted.

A batch that is not finished has said nothing: it takes as long as the commit interval in real-time mode. A
query that has nothing to do in micro-batches runs no batch, so that its silence means zero.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from jobs.kafka_messages import ProgressReport
from weir.lag.services.rates import MIN_SPAN_US, WINDOW_US

SILENT_US: Final = 10_000_000
"""A query that has been quiet for longer, and for longer than its last batch took, has had no rows."""


@dataclass(frozen=True, slots=True)
class _Batch:
    began_us: int
    ended_us: int
    given: dict[str, int]


@dataclass(slots=True)
class BatchRates:
    """Rows by reference that the batches of the last minute gave; each query of a run has its own batches."""

    queries: dict[str | None, deque[_Batch]] = field(default_factory=dict)

    def add(self, report: ProgressReport) -> None:
        """Add a batch."""
        batches = self.queries.setdefault(report.query, deque())
        ended_us = report.began_us + report.duration_ms * 1_000
        if batches and ended_us <= batches[-1].ended_us:  # repeated after a crash
            batches.clear()
        batches.append(_Batch(report.began_us, ended_us, report.given))
        while len(batches) > 1 and batches[0].ended_us <= ended_us - WINDOW_US:
            batches.popleft()

    def per_second(self, now_us: int) -> dict[str, float | None]:
        """Rows per second by reference.

        Args:
            now_us: the current time.

        Returns:
            None for a reference of which less than five seconds are known.
        """
        found: dict[str, float | None] = {}
        for batches in self.queries.values():
            found |= _rates(batches, now_us)
        return found


def _rates(batches: deque[_Batch], now_us: int) -> dict[str, float | None]:
    newest = batches[-1]
    quiet = max(newest.ended_us - newest.began_us, SILENT_US)
    until_us = max(newest.ended_us, now_us - quiet)
    inside = [batch for batch in batches if batch.ended_us > until_us - WINDOW_US]
    if not inside:
        return dict.fromkeys(newest.given, 0.0)
    span = until_us - inside[0].began_us
    return {
        reference: sum(batch.given.get(reference, 0) for batch in inside) * 1e6 / span
        if span >= MIN_SPAN_US
        else None
        for reference in newest.given
    }
