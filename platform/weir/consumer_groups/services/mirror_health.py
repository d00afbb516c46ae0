"""What the watch found of the groups in which Weir mirrors the positions of jobs: when retention deletes what
a job has not read, and how a job stands that says nothing itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from weir.consumer_groups.models import ClusterWatch, GroupTopic
from weir.consumer_groups.services.lease import ALIAS
from weir.runs.services.lag_health import SEVERITY, JobHealth, Kind

Topic = tuple[str, str]  # cluster id, topic
_NOT_AT_RISK: Final = frozenset({Kind.EMPTY, Kind.FINE, Kind.CATCHING_UP})


@dataclass(frozen=True, slots=True)
class MirroredTopic:
    """A topic of a mirror, as the watch stored it."""

    kind: Kind
    since_us: int | None
    loss_s: float | None
    lost_records: int


def mirrored_topics(groups: Mapping[str, Mapping[Topic, int]], now_us: int) -> dict[str, list[MirroredTopic]]:
    """The topics of mirrors, by group; without those of clusters that were not seen lately, and of groups
    whose offsets may not be read. Two queries.

    Args:
        groups: by name: the topics of which its job's run has committed positions, and since when at least
            (µs): what the watch found before is of an earlier generation. Topics of an earlier version stay
            in the group.
        now_us: the present.
    """
    if not groups:
        return {}
    watches = ClusterWatch.objects.using(ALIAS).filter(
        pk__in={cluster for topics in groups.values() for cluster, _ in topics}
    )
    current = {watch.pk for watch in watches if watch.is_current(now_us)}
    found: dict[str, list[MirroredTopic]] = {}
    rows = GroupTopic.objects.using(ALIAS).filter(
        group__in=list(groups), cluster_id__in=current, lag_records__isnull=False
    )
    for cluster_id, group, topic, at_us, kind, since_us, loss_s, lost in rows.values_list(
        "cluster_id", "group", "topic", "at_us", "health", "since_us", "loss_s", "lost_records"
    ):
        committed_us = groups[group].get((cluster_id, topic))
        if committed_us is not None and at_us > committed_us:
            found.setdefault(group, []).append(MirroredTopic(Kind(kind), since_us, loss_s, lost))
    return found


def is_at_risk(health: JobHealth) -> bool:
    """Whether retention may overtake the job."""
    return health.kind not in _NOT_AT_RISK


def with_losses(health: JobHealth, mirrored: Iterable[MirroredTopic]) -> JobHealth:
    """The health with when records are lost.

    Args:
        health: of the job's own positions.
        mirrored: of its mirror.
    """
    topics = list(mirrored)
    if not is_at_risk(health):
        return health
    lost = sum(topic.lost_records for topic in topics)
    losses = [topic.loss_s for topic in topics if topic.loss_s is not None]
    kind = Kind.LOSING if lost else health.kind
    return replace(health, kind=kind, loss_s=0.0 if lost else min(losses, default=None), lost_records=lost)


def mirrored_health(mirrored: Iterable[MirroredTopic], now_us: int) -> JobHealth | None:
    """The health of a job of which nothing is heard, from its mirror alone; None: nothing is known.

    Args:
        mirrored: of its mirror.
        now_us: the present.
    """
    topics = list(mirrored)
    if not topics:
        return None
    worst = max((topic.kind for topic in topics), key=SEVERITY.__getitem__)
    since_us = min(
        (topic.since_us for topic in topics if topic.kind == worst and topic.since_us is not None),
        default=None,
    )
    return with_losses(JobHealth(worst, now_us, since_us), topics)
