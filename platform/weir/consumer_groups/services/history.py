"""History of groups: a point every 10 s for an hour, every minute for a day, every 15 min for 30 days."""

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Final

from django.db.models import Avg, BigIntegerField, ExpressionWrapper, F, Max, QuerySet, Value

from weir.consumer_groups.models import ClusterWatch, GroupPoint, GroupTopic
from weir.consumer_groups.services.health import SEVERITY, Kind
from weir.consumer_groups.services.lease import ALIAS
from weir.retention import METRIC_HISTORY

US: Final = 1_000_000
FINEST_S: Final = min(METRIC_HISTORY)
_BATCH: Final = 1_000
_PURGE_BATCH: Final = 5_000
_KINDS: Final = list(Kind)
_MEASURES: Final = ["lag_records", "lag_seconds", "in_rate", "out_rate", "severity"]


def add_points(cluster_ids: Collection[str], now_us: int) -> None:
    """Write one point of the finest resolution for every group and topic of these clusters that was seen
    in a pass of the last minute.

    Args:
        cluster_ids: that this process watches.
        now_us: the current time.
    """
    at_us = now_us - now_us % (FINEST_S * US)
    rows = GroupTopic.objects.using(ALIAS).filter(cluster_id__in=cluster_ids)
    points = [
        GroupPoint(
            series_id=pk,
            resolution_s=FINEST_S,
            at_us=at_us,
            lag_records=records,
            lag_seconds=seconds,
            in_rate=in_rate,
            out_rate=out_rate,
            severity=SEVERITY[Kind(health)],
        )
        for pk, records, seconds, in_rate, out_rate, health in rows.filter(
            cluster_id__in=_fresh(cluster_ids, now_us)
        ).values_list("pk", "lag_records", "lag_seconds", "in_rate", "out_rate", "health")
    ]
    _write(points)


def _fresh(cluster_ids: Collection[str], now_us: int) -> list[str]:
    """Clusters whose last pass is not older than a minute: an old lag is no point of now."""
    return list(
        ClusterWatch.objects.using(ALIAS)
        .filter(pk__in=cluster_ids, passed_at_us__gt=now_us - 60 * US)
        .values_list("pk", flat=True)
    )


def downsample(cluster_ids: Collection[str], now_us: int) -> None:
    """Write the points of each coarser resolution whose time is over, from those of the next finer one: one
    query that reads and one that writes for all groups together.

    Args:
        cluster_ids: that this process watches.
        now_us: the current time.
    """
    resolutions = sorted(METRIC_HISTORY)
    for finer_s, coarser_s in pairwise(resolutions):
        until_us = now_us - now_us % (coarser_s * US)
        points = GroupPoint.objects.using(ALIAS).filter(series__cluster_id__in=cluster_ids)
        newest = points.filter(resolution_s=coarser_s).aggregate(at=Max("at_us"))["at"]
        from_us = until_us - METRIC_HISTORY[finer_s] if newest is None else newest + coarser_s * US
        if from_us >= until_us:
            continue
        finer = points.filter(resolution_s=finer_s, at_us__gte=from_us, at_us__lt=until_us)
        _write(_coarse(finer, coarser_s))


def _coarse(finer: QuerySet[GroupPoint], coarser_s: int) -> Iterable[GroupPoint]:
    begins = ExpressionWrapper(
        F("at_us") - F("at_us") % Value(coarser_s * US), output_field=BigIntegerField()
    )
    rows = (
        finer.annotate(begins=begins)
        .values("series_id", "begins")
        .annotate(
            most=Max("lag_records"),
            longest=Max("lag_seconds"),
            arrived=Avg("in_rate"),
            read=Avg("out_rate"),
            worst=Max("severity"),
        )
        .order_by()
    )
    return [
        GroupPoint(
            series_id=row["series_id"],
            resolution_s=coarser_s,
            at_us=row["begins"],
            lag_records=row["most"],
            lag_seconds=row["longest"],
            in_rate=row["arrived"],
            out_rate=row["read"],
            severity=row["worst"],
        )
        for row in rows
    ]


def _write(points: Iterable[GroupPoint]) -> None:
    GroupPoint.objects.using(ALIAS).bulk_create(
        list(points),
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["series", "resolution_s", "at_us"],
        update_fields=_MEASURES,
    )


def purge_expired(now_us: int) -> int:
    """Delete points that are older than their resolution is kept, at most 5,000 of each.

    Returns:
        How many were deleted; call again until it is 0.
    """
    deleted = 0
    for resolution_s, kept_us in METRIC_HISTORY.items():
        points = GroupPoint.objects.using(ALIAS)
        old = points.filter(resolution_s=resolution_s, at_us__lt=now_us - kept_us)
        expired = list(old.values_list("pk", flat=True)[:_PURGE_BATCH])
        for at in range(0, len(expired), 400):
            points.filter(pk__in=expired[at : at + 400]).delete()
        deleted += len(expired)
    return deleted


def resolution_for(span_us: int, age_us: int) -> int:
    """The finest resolution that is kept for a range and gives a chart no more than 1,500 points.

    Args:
        span_us: length of the range.
        age_us: how long ago it begins.
    """
    for resolution_s in sorted(METRIC_HISTORY):
        if age_us <= METRIC_HISTORY[resolution_s] and span_us <= 1_500 * resolution_s * US:
            return resolution_s
    return max(METRIC_HISTORY)


def kind_of(severity: int) -> Kind:
    """The health that a point stores as a number."""
    return _KINDS[severity]
