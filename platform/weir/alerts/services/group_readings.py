"""Readings of consumer groups for rules: every ten seconds, and only for workspaces with a rule over them.

Mirrors of jobs are left out: their jobs have metrics of their own.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from jobs.base.instants import instant_of
from weir.alerts.services.book import LoadedRule
from weir.alerts.services.intervals import is_due
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.readings import Subject, Taken, put_loss
from weir.consumer_groups.services.group_views import health_of_topics, lag_of_topics
from weir.consumer_groups.services.visible_groups import SeenLag, lags_seen
from weir.runs.services.lag_health import NEEDS_A_LOOK, Kind

READ_EVERY: Final = timedelta(seconds=10)


class GroupReadings:
    """What was read last, which is put into each look until it is read again."""

    def __init__(self) -> None:
        self._read_at: datetime | None = None
        self._watched: frozenset[int] = frozenset()
        self._found: list[SeenLag] = []

    def take(self, taken: Taken, rules: Iterable[LoadedRule], now: datetime) -> None:
        """Add the values of the groups that rules watch.

        Args:
            taken: to which they are added.
            rules: all that are evaluated.
            now: the present.
        """
        watched = frozenset(
            rule.workspace_id
            for rule in rules
            if rule.metric is not None and BY_NAME[rule.metric.metric].scope == "group"
        )
        if watched != self._watched or is_due(self._read_at, now, READ_EVERY):
            self._watched, self._read_at = watched, now
            self._found = list(lags_seen(watched, instant_of(now))) if watched else []
        for seen in self._found:
            _put(taken, seen)


def _put(taken: Taken, seen: SeenLag) -> None:
    kind = health_of_topics(seen.topics).kind
    subject = Subject(
        seen.workspace_id,
        "group",
        (("cluster", seen.cluster.pk), ("group", seen.group)),
        f"Consumer group {seen.group[:120]} on {seen.cluster.name}: {kind.value.replace('_', ' ')}",
    )
    if not seen.is_current:
        taken.subjects.add(subject)  # what was seen last is no reading of now
        return
    slowest = max(seen.topics, key=lambda topic: topic.lag_seconds or 0.0)
    losses = [topic.loss_s for topic in seen.topics if topic.loss_s is not None]
    is_known = kind != Kind.UNKNOWN
    taken.put("group.needs_a_look", subject, float(kind in NEEDS_A_LOOK) if is_known else None)
    taken.put("group.lag_seconds", subject, slowest.known_lag_seconds)
    taken.put("group.lag_records", subject, lag_of_topics(seen.topics))
    taken.put("group.lost_records", subject, sum(topic.lost_records for topic in seen.topics))
    put_loss(taken, "group.loss_seconds", subject, min(losses, default=None), is_known=is_known)
