"""What was judged in the windows of objectives, kept from look to look: of a month of slices a look reads
those that came and those that left.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Sum

from weir.alerts.models import Objective, ObjectiveSlice

SLICE: Final = timedelta(minutes=5)  # in which objectives are judged
LONGEST_BURN: Final = timedelta(hours=6)  # of the spans of burn rates
RECENT: Final = LONGEST_BURN + SLICE
"""Slices of this age still change, or are read at each look for burn rates all the same."""

Recent = Mapping[str, Sequence[tuple[datetime, float, float]]]
"""By objective: when a slice began, its bad and its judged seconds."""


class WindowTotals:
    """Bad and judged seconds by objective, of slices that are older than `RECENT`.

    It expects that such slices do not change, and are not deleted before they have left the window.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], tuple[float, float]] = {}  # by objective, days of its window
        self._at: datetime | None = None

    def take(
        self, objectives: Sequence[Objective], recent: Recent, now: datetime
    ) -> dict[str, tuple[float, float]]:
        """The totals of the whole windows, by id.

        Args:
            objectives: all that are looked at; others are forgotten.
            recent: their slices of the last `RECENT`.
            now: the present; after a clock was set back all is read anew.
        """
        if self._at is not None and now < self._at:
            self._kept, self._at = {}, None
        until, before = now - RECENT, self._at
        kept: dict[tuple[str, int], tuple[float, float]] = {}
        for days in {one.window_days for one in objectives}:
            window = timedelta(days=days)
            keys = {(one.pk, days) for one in objectives if one.window_days == days}
            known = keys & self._kept.keys()
            kept |= _sums(keys - known, now - window, until)
            if before is not None:
                came = _sums(known, before - RECENT, until)
                left = _sums(known, before - window, now - window)
                for key in known:
                    kept[key] = _plus(self._kept[key], came[key], _minus(left[key]))
        self._kept, self._at = kept, now
        return {
            pk: _plus(
                total, *((bad, judged) for began_at, bad, judged in recent.get(pk, ()) if began_at > until)
            )
            for (pk, _), total in kept.items()
        }


def _sums(
    keys: Iterable[tuple[str, int]], after: datetime, to: datetime
) -> dict[tuple[str, int], tuple[float, float]]:
    """Bad and judged seconds of slices that began after one time and not after the other."""
    found = dict.fromkeys(keys, (0.0, 0.0))
    if not found:
        return found
    days = {pk: days for pk, days in found}
    rows = ObjectiveSlice.objects.filter(objective__in=days, began_at__gt=after, began_at__lte=to)
    for pk, good_s, judged_s in (
        rows.values("objective_id")
        .annotate(Sum("good_s"), Sum("judged_s"))
        .order_by()
        .values_list("objective_id", "good_s__sum", "judged_s__sum")
    ):
        found[pk, days[pk]] = (judged_s - good_s, judged_s)
    return found


def _plus(*pairs: tuple[float, float]) -> tuple[float, float]:
    return sum(bad for bad, _ in pairs), sum(judged for _, judged in pairs)


def _minus(pair: tuple[float, float]) -> tuple[float, float]:
    return -pair[0], -pair[1]
