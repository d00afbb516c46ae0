"""Reads the history of groups."""

import time
from collections import defaultdict
from typing import Any, Final

from django.db.models import Max, Sum

from jobs.base.instants import Instant, instant_text
from weir.consumer_groups.models import GroupPoint
from weir.consumer_groups.services.history import US, kind_of, resolution_for
from weir.consumer_groups.services.lease import ALIAS
from weir.consumer_groups.services.visible_groups import VisibleGroup

TREND_US: Final = 1_800 * US
_TREND_RESOLUTION_S: Final = 60
MAX_TRENDS: Final = 200


def read_history(seen: VisibleGroup, from_us: int, until_us: int, topic: str) -> dict[str, Any]:
    """Points of a range, oldest first, of all topics that the workspace sees or of one of them.

    Args:
        seen: the group.
        from_us: where it begins.
        until_us: where it ends.
        topic: its name; empty for all.
    """
    now_us = time.time_ns() // 1000
    resolution_s = resolution_for(until_us - from_us, now_us - from_us)
    series = [each.pk for each in seen.topics if topic in ("", each.topic)]
    points = (
        GroupPoint.objects.using(ALIAS)
        .filter(series__in=series, resolution_s=resolution_s, at_us__gte=from_us, at_us__lt=until_us)
        .values("at_us")
        .annotate(
            records=Sum("lag_records"),
            seconds=Max("lag_seconds"),
            arrived=Sum("in_rate"),
            read=Sum("out_rate"),
            worst=Max("severity"),
        )
        .order_by("at_us")
    )
    return {
        "resolution_s": resolution_s,
        "points": [
            {
                "at": instant_text(Instant(point["at_us"])),
                "lag_records": point["records"],
                "lag_seconds": point["seconds"],
                "in_rate": point["arrived"],
                "out_rate": point["read"],
                "health": kind_of(point["worst"]).value,
            }
            for point in points
        ],
    }


def trends(groups: list[VisibleGroup]) -> dict[tuple[str, str], list[list[int]]]:
    """Lag in records over the last half hour, by cluster and group: [seconds ago, records], oldest first.

    Args:
        groups: of which the first `MAX_TRENDS` get one, by one query.
    """
    now_us = time.time_ns() // 1000
    owner = {
        topic.pk: (seen.cluster.pk, seen.group.name) for seen in groups[:MAX_TRENDS] for topic in seen.topics
    }
    points = GroupPoint.objects.using(ALIAS).filter(
        series__in=list(owner), resolution_s=_TREND_RESOLUTION_S, at_us__gte=now_us - TREND_US
    )
    sums: dict[tuple[str, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for series_id, at_us, records in points.values_list("series_id", "at_us", "lag_records"):
        sums[owner[series_id]][at_us] += records
    return {
        group: [[(now_us - at_us) // US, records] for at_us, records in sorted(found.items())]
        for group, found in sums.items()
    }
