"""History of groups; `weir.lag.services.history_tables` says how long it is kept."""

from collections.abc import Collection
from typing import Final

from django.db.models import Case, Exists, OuterRef, Q, When

from weir.consumer_groups.models import AT_LEAST, ClusterWatch, GroupPoint, GroupTopic
from weir.lag.services.history_tables import ALIAS, FINEST_S, SPANS, US, HistoryTable, write_points
from weir.runs.services.lag_health import SEVERITY, Kind

GROUP_POINTS: Final = HistoryTable(
    GroupPoint, "series", ("lag_records", "lag_seconds", "in_rate", "out_rate"), worst=("severity",)
)
_KINDS: Final = list(Kind)
_FRESH_US: Final = 60 * US


def add_points(cluster_ids: Collection[str], now_us: int) -> None:
    """Write one point of the finest resolution for every group and topic of these clusters that was seen
    in a pass of the last minute. A group that is behind has to be concluded on in it, too: a point of some of
    its topics would be taken for the whole group's.

    Args:
        cluster_ids: that this process watches.
        now_us: the current time.
    """
    at_us = now_us - now_us % (FINEST_S * US)
    known_lag = Case(When(~Q(seconds_by=AT_LEAST), then="lag_seconds"))
    stored = GroupTopic.objects.using(ALIAS)
    unknown = stored.filter(
        Q(lag_records=None) | Q(lag_records__gt=0, at_us__lte=now_us - _FRESH_US),
        cluster_id=OuterRef("cluster_id"),
        group=OuterRef("group"),
    )
    rows = stored.filter(~Exists(unknown), cluster_id__in=_fresh(cluster_ids, now_us))
    points = [
        GroupPoint(
            series_id=pk,
            resolution_s=FINEST_S,
            at_us=at_us,
            severity=SEVERITY[Kind(health)],
            **{
                f"{name}{suffix}": value
                for name, value in zip(GROUP_POINTS.measures, values, strict=True)
                for suffix in SPANS.values()
            },
        )
        for pk, health, *values in rows.values_list(
            "pk", "health", *(known_lag if name == "lag_seconds" else name for name in GROUP_POINTS.measures)
        )
    ]
    write_points(GROUP_POINTS, points)


def _fresh(cluster_ids: Collection[str], now_us: int) -> list[str]:
    """Clusters whose last pass is not older than a minute: an old lag is no point of now."""
    return list(
        ClusterWatch.objects.using(ALIAS)
        .filter(pk__in=cluster_ids, passed_at_us__gt=now_us - _FRESH_US)
        .values_list("pk", flat=True)
    )


def kind_of(severity: int) -> Kind:
    """The health that a point stores as a number."""
    return _KINDS[severity]
