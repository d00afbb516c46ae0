"""History that is kept in three resolutions: 10 s for an hour, 1 min for a day, 15 min for 30 days, so
360 + 1,440 + 2,880 rows for each job, and for each topic of a consumer group.

A measure is three columns: the mean under its own name, the least and the greatest, so that a peak of
seconds is still there after a month.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from django.db import models
from django.db.models import Avg, BigIntegerField, ExpressionWrapper, F, Max, Min, QuerySet, Sum, Value
from django.db.models.functions import Coalesce

from weir.retention import METRIC_HISTORY
from weir.row_deletion import delete_in_slices

ALIAS: Final = "results"
US: Final = 1_000_000
FINEST_S: Final = min(METRIC_HISTORY)
WRITE_DELAY_US: Final = 20 * US
"""Points of the finest resolution are written within this time after theirs began and ended."""
MAX_POINTS: Final = 1_500
SPANS: Final = {"avg": "", "min": "_min", "max": "_max"}
"""What is kept of a measure → suffix of its column."""
_BATCH: Final = 500
_PURGE_S: Final = 1.0  # of each resolution


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """A table of points.

    Attributes:
        model: its columns are `series`, `resolution_s`, `at_us` and those below.
        series: column of what a point is about.
        measures: each with ``_min`` and ``_max``.
        counts: columns that add up.
        worst: columns of which the greatest counts.
    """

    model: type[models.Model]
    series: str
    measures: tuple[str, ...]
    counts: tuple[str, ...] = ()
    worst: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """All columns but those that say whose and when."""
        spans = [f"{name}{suffix}" for name in self.measures for suffix in SPANS.values()]
        return [*spans, *self.counts, *self.worst]

    @property
    def rows(self) -> QuerySet[Any]:
        """All points."""
        return self.model._default_manager.using(ALIAS).all()


def write_points(table: HistoryTable, points: Iterable[Any]) -> None:
    """Write points; one of the same series, resolution and time is replaced.

    Args:
        table: of the points.
        points: unsaved.
    """
    table.model._default_manager.using(ALIAS).bulk_create(
        list(points),
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=[table.series, "resolution_s", "at_us"],
        update_fields=table.columns,
    )


def downsample(table: HistoryTable, now_us: int) -> None:
    """Write the points of each coarser resolution whose time is over, from those of the next finer one: one
    query that reads and some that write, for all series together.

    Args:
        table: which one.
        now_us: the current time.
    """
    for finer_s, coarser_s in pairwise(sorted(METRIC_HISTORY)):
        settled_us = now_us - WRITE_DELAY_US
        until_us = settled_us - settled_us % (coarser_s * US)
        # Those of a clock that was ahead for a while are not of before.
        before = table.rows.filter(resolution_s=coarser_s, at_us__lt=until_us)
        newest = before.aggregate(at=Max("at_us"))["at"]
        from_us = until_us - METRIC_HISTORY[finer_s] if newest is None else newest + coarser_s * US
        if from_us < until_us:
            finer = table.rows.filter(resolution_s=finer_s, at_us__gte=from_us, at_us__lt=until_us)
            write_points(table, _coarse(table, finer, coarser_s))


def _coarse(table: HistoryTable, finer: QuerySet[Any], coarser_s: int) -> list[Any]:
    begins = ExpressionWrapper(
        F("at_us") - F("at_us") % Value(coarser_s * US), output_field=BigIntegerField()
    )
    folded: dict[str, Any] = {}
    for name in table.measures:
        folded |= {f"{name}__": Avg(name), f"{name}_min__": Min(f"{name}_min")}
        # points of groups from before all three were kept have the mean of a rate alone
        folded |= {f"{name}_max__": Max(Coalesce(f"{name}_max", name))}
    folded |= {f"{name}__": Sum(name) for name in table.counts}
    folded |= {f"{name}__": Max(name) for name in table.worst}
    rows = finer.annotate(begins=begins).values(table.series, "begins").annotate(**folded).order_by()
    series = table.model._meta.get_field(table.series).attname  # type: ignore[union-attr]
    return [
        table.model(
            **{series: row[table.series], "resolution_s": coarser_s, "at_us": row["begins"]},
            **{name: row[f"{name}__"] for name in table.columns},
        )
        for row in rows
    ]


def purge_expired(table: HistoryTable, now_us: int) -> bool:
    """Delete points that are older than their resolution is kept, for a second of each.

    Returns:
        Whether none is left; if not, call again.
    """
    all_gone = True
    for resolution_s, kept_us in METRIC_HISTORY.items():
        old = table.rows.filter(resolution_s=resolution_s, at_us__lt=now_us - kept_us)
        all_gone &= delete_in_slices(old, _PURGE_S)
    return all_gone


def resolution_for(span_us: int, age_us: int) -> int:
    """The finest resolution that is kept for a range and gives a chart no more than 1,500 points, but for
    the coarsest, which a month has twice as many of.

    Args:
        span_us: length of the range.
        age_us: how long ago it begins.
    """
    for resolution_s in sorted(METRIC_HISTORY):
        if age_us <= METRIC_HISTORY[resolution_s] and span_us <= MAX_POINTS * resolution_s * US:
            return resolution_s
    return max(METRIC_HISTORY)
