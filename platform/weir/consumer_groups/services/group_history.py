"""Reads the history of groups."""

import time
from collections import defaultdict
from typing import Any, Final

from django.db.models import Max, Sum

from weir.consumer_groups.services.history import GROUP_POINTS, kind_of
from weir.consumer_groups.services.visible_groups import VisibleGroup
from weir.lag.services.history_reading import HistoryRange, as_columns
from weir.lag.services.history_tables import SPANS, US

TREND_US: Final = 1_800 * US
_TREND_RESOLUTION_S: Final = 60
MAX_TRENDS: Final = 200


def read_history(seen: VisibleGroup, asked: HistoryRange, topic: str) -> dict[str, Any]:
    """Points of a range, oldest first, of all topics that the workspace sees or of one of them.

    Args:
        seen: the group.
        asked: the range.
        topic: its name; empty for all.
    """
    series = [each.pk for each in seen.topics if topic in ("", each.topic)]
    rows = asked.points(GROUP_POINTS).filter(series__in=series)
    # the sum of the greatest of each topic is the most that it can have been at once
    totals = {
        f"{name}{suffix}__": (Max if name == "lag_seconds" else Sum)(f"{name}{suffix}")
        for name in GROUP_POINTS.measures
        for suffix in SPANS.values()
    }
    found = list(rows.values("at_us").annotate(worst=Max("severity"), **totals).order_by("at_us"))
    points = [{name.removesuffix("__"): value for name, value in point.items()} for point in found]
    return {
        **asked.as_json(),
        **as_columns(points, GROUP_POINTS.measures),
        "health": [kind_of(point["worst"]).value for point in points],
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
    points = GROUP_POINTS.rows.filter(
        series__in=list(owner), resolution_s=_TREND_RESOLUTION_S, at_us__gte=now_us - TREND_US
    )
    sums: dict[tuple[str, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for series_id, at_us, records in points.values_list("series_id", "at_us", "lag_records_max"):
        sums[owner[series_id]][at_us] += int(records or 0)
    return {
        group: [[(now_us - at_us) // US, records] for at_us, records in sorted(found.items())]
        for group, found in sums.items()
    }
