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
    written: int


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
        batches.append(_Batch(report.began_us, ended_us, report.given, report.rows_out))
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
            inside, span = _window(batches, now_us)
            found |= {
                reference: _rate(sum(batch.given.get(reference, 0) for batch in inside), span)
                for reference in batches[-1].given
            }
        return found

    def written_per_second(self, now_us: int) -> float | None:
        """Rows per second that all queries wrote, over the same time; None: under five seconds are known."""
        rates = []
        for batches in self.queries.values():
            inside, span = _window(batches, now_us)
            rates.append(_rate(sum(batch.written for batch in inside), span))
        known = [rate for rate in rates if rate is not None]
        return sum(known) if known and len(known) == len(rates) else None


def _window(batches: deque[_Batch], now_us: int) -> tuple[list[_Batch], int]:
    """The batches that count now, and how long they took with the pauses between them, in µs."""
    newest = batches[-1]
    quiet = max(newest.ended_us - newest.began_us, SILENT_US)
    until_us = max(newest.ended_us, now_us - quiet)
    inside = [batch for batch in batches if batch.ended_us > until_us - WINDOW_US]
    return inside, until_us - inside[0].began_us if inside else WINDOW_US


def _rate(rows: int, span_us: int) -> float | None:
    return rows * 1e6 / span_us if span_us >= MIN_SPAN_US else None
