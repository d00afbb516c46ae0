"""Reads history as columns: what a chart draws, without the names of a thousand points."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import QuerySet

from jobs.base.instants import Instant, instant_of, instant_text
from weir.lag.services.history import JOB_POINTS
from weir.lag.services.history_tables import SPANS, US, HistoryTable, resolution_for

_FIRST_US: Final = instant_of(datetime.min.replace(tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """A range of time, and how exactly it is known."""

    from_us: int
    until_us: int
    resolution_s: int

    @classmethod
    def of(cls, minutes: int, until_us: int | None) -> "HistoryRange":
        """A range by its length.

        Args:
            minutes: its length.
            until_us: where it ends; None: now.
        """
        now_us = time.time_ns() // 1000
        end_us = now_us if until_us is None else until_us
        from_us = max(end_us - minutes * 60 * US, _FIRST_US)
        return cls(from_us, end_us, resolution_for(end_us - from_us, now_us - from_us))

    def points(self, table: HistoryTable) -> QuerySet[Any]:
        """The points of a table in this range, of all series."""
        return table.rows.filter(
            resolution_s=self.resolution_s, at_us__gte=self.from_us, at_us__lt=self.until_us
        )

    def as_json(self) -> dict[str, Any]:
        """For the API."""
        return {
            "resolution_s": self.resolution_s,
            "from": instant_text(Instant(self.from_us)),
            "until": instant_text(Instant(self.until_us)),
        }


def job_history(job_id: str, asked: HistoryRange) -> dict[str, Any]:
    """The points of a job, oldest first; where one is missing, nothing was measured.

    Args:
        job_id: of the job.
        asked: which ones.
    """
    rows = asked.points(JOB_POINTS).filter(job_id=job_id)
    points = list(rows.order_by("at_us").values("at_us", *JOB_POINTS.columns))
    return {
        **asked.as_json(),
        **as_columns(points, JOB_POINTS.measures),
        "counts": {name: [point[name] for point in points] for name in JOB_POINTS.counts},
    }


def as_columns(points: Sequence[Mapping[str, Any]], measures: Iterable[str]) -> dict[str, Any]:
    """Times and measures of points.

    Args:
        points: with `at_us` and three columns for each measure.
        measures: their names.
    """
    return {
        "at": [instant_text(Instant(point["at_us"])) for point in points],
        "measures": {
            name: {
                span: [_short(point[f"{name}{suffix}"]) for point in points] for span, suffix in SPANS.items()
            }
            for name in measures
        },
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
