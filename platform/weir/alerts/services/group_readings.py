"""Readings of consumer groups for rules: every ten seconds, and only for workspaces with a rule over them.

Mirrors of jobs are left out: their jobs have metrics of their own.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from jobs.base.instants import instant_of
from weir.alerts.services.book import LoadedRule
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.readings import Subject, Taken
from weir.consumer_groups.services.group_views import health_of
from weir.consumer_groups.services.health import NEEDS_A_LOOK, Kind
from weir.consumer_groups.services.visible_groups import VisibleGroup, groups_of, is_current, watches_of
from weir.workspaces.models import Workspace

READ_EVERY: Final = timedelta(seconds=10)

Values = dict[str, float | None]


class GroupReadings:
    """What was read last, which is put into each look until it is read again."""

    def __init__(self) -> None:
        self._read_at: datetime | None = None
        self._watched: frozenset[int] = frozenset()
        self._found: list[tuple[Subject, Values]] = []

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
        if watched != self._watched or self._read_at is None or now - self._read_at >= READ_EVERY:
            self._watched, self._read_at = watched, now
            workspaces = Workspace.objects.filter(pk__in=watched) if watched else ()
            self._found = [one for workspace in workspaces for one in _read(workspace, now)]
        for subject, values in self._found:
            for metric, value in values.items():
                taken.put(metric, subject, value)


def _read(workspace: Workspace, now: datetime) -> Iterable[tuple[Subject, Values]]:
    now_us = instant_of(now)
    current = {cluster.pk for cluster, watch in watches_of(workspace) if is_current(watch, now_us)}
    for seen in groups_of(workspace):
        if not seen.mirrored_job:
            values = _values(seen)
            if seen.cluster.pk not in current:
                values = dict.fromkeys(values)  # what was seen last is no reading of now
            yield _subject(workspace, seen), values


def _subject(workspace: Workspace, seen: VisibleGroup) -> Subject:
    words = health_of(seen).kind.value.replace("_", " ")
    return Subject(
        workspace.pk,
        "group",
        (("cluster", seen.cluster.pk), ("group", seen.group.name)),
        f"Consumer group {seen.group.name[:120]} on {seen.cluster.name}: {words}",
    )


def _values(seen: VisibleGroup) -> Values:
    kind = health_of(seen).kind
    lags = [topic.lag_seconds for topic in seen.topics if topic.lag_seconds is not None]
    losses = [topic.loss_s for topic in seen.topics if topic.loss_s is not None]
    return {
        "group.needs_a_look": None if kind == Kind.UNKNOWN else float(kind in NEEDS_A_LOOK),
        "group.lag_seconds": max(lags, default=None),
        "group.lag_records": float(sum(topic.lag_records for topic in seen.topics)) if seen.topics else None,
        "group.loss_seconds": min(losses, default=None),
        "group.lost_records": float(sum(topic.lost_records for topic in seen.topics))
        if seen.topics
        else None,
    }
