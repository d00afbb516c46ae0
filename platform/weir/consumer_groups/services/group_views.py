"""Groups as the API and the live channel show them."""

from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from weir.clusters.models import Cluster
from weir.consumer_groups.models import ClusterWatch, GroupTopic
from weir.consumer_groups.services.group_reading import worst_of
from weir.consumer_groups.services.group_rows import PARTITION_FIELDS
from weir.consumer_groups.services.health import Cause, Health
from weir.consumer_groups.services.visible_groups import VisibleGroup
from weir.runs.services.lag_health import SEVERITY, Kind

MAX_PARTITIONS: Final = 2_000  # of one group at once; the worst are shown


def watch_view(cluster: Cluster, watch: ClusterWatch | None) -> dict[str, Any]:
    """How current the groups of a cluster are."""
    return {
        "cluster": cluster.pk,
        "cluster_name": cluster.name,
        "passed_at": _text(watch.passed_at_us) if watch else None,
        "error": watch.error if watch else "",
        "groups": watch.groups if watch else 0,
        "left_out": watch.left_out if watch else 0,
        "interval_ms": watch.interval_ms if watch else 0,
    }


def group_view(seen: VisibleGroup) -> dict[str, Any]:
    """A group in a list; totals are those of the topics that the workspace sees."""
    health = health_of(seen)
    slowest = max(
        (topic for topic in seen.topics if topic.lag_seconds is not None),
        key=lambda topic: topic.lag_seconds or 0.0,
        default=None,
    )
    catching_up = [topic for topic in seen.topics if topic.health == health.kind == Kind.CATCHING_UP]
    return {
        "cluster": seen.cluster.pk,
        "cluster_name": seen.cluster.name,
        "name": seen.group.name,
        "state": seen.group.state,
        "protocol": seen.group.protocol,
        "denied": seen.group.denied,
        "members": None if seen.group.members is None else len(seen.group.members),
        "mirrored_job": seen.mirrored_job,
        "job_id": seen.job_id,
        "topics": [topic.topic for topic in seen.topics],
        "lag_records": lag_of_topics(seen.topics),
        "lag_seconds": slowest.lag_seconds if slowest else None,
        "seconds_by": slowest.seconds_by if slowest else "",
        "in_rate": _sum([topic.in_rate for topic in seen.topics]),
        "out_rate": _sum([topic.out_rate for topic in seen.topics]),
        "health": health.kind.value,
        "cause": health.cause.value,
        "since": _text(health.since_us),
        "catch_up_s": _worst([topic.catch_up_s for topic in catching_up]),
        "loss_s": min((topic.loss_s for topic in seen.topics if topic.loss_s is not None), default=None),
        "lost_records": sum(topic.lost_records for topic in seen.topics),
        "hot": _hot(seen.topics),
    }


def group_detail(seen: VisibleGroup) -> dict[str, Any]:
    """A group with its members and partitions, the worst partitions first if there are too many."""
    partitions = [
        _partition(topic.topic, row)
        for topic in seen.topics
        for row in topic.partitions
        if len(row) == len(PARTITION_FIELDS)  # a relay of another version wrote it, and writes it anew soon
    ]
    shown = partitions
    if len(partitions) > MAX_PARTITIONS:
        shown = sorted(partitions, key=lambda part: (-SEVERITY[Kind(part["health"])], -part["lag"]))
    return {
        **group_view(seen),
        "has_hidden": seen.has_hidden,
        "topic_lags": [_topic(topic) for topic in seen.topics],
        "member_list": None
        if seen.group.members is None
        else [
            {
                "client_id": client,
                "host": host,
                "instance_id": instance,
                "partitions": [{"topic": topic, "partition": number} for topic, number in parts],
            }
            for client, host, instance, parts in seen.group.members
        ],
        "partitions": shown[:MAX_PARTITIONS],
        "partitions_left_out": max(0, len(partitions) - MAX_PARTITIONS),
    }


def severity_of(view: dict[str, Any]) -> tuple[int, float]:
    """For sorting: the worst first, then the furthest behind."""
    return -SEVERITY[Kind(view["health"])], -(view["lag_seconds"] or 0.0)


def health_of(seen: VisibleGroup) -> Health:
    """The worst of the topics that the workspace sees."""
    if not seen.topics:
        is_unknown = seen.group.denied or bool(seen.mirrored_job)
        is_empty = seen.group.state in ("Empty", "Dead") and not is_unknown
        return Health(Kind.EMPTY if is_empty else Kind.UNKNOWN)
    return health_of_topics(seen.topics)


def health_of_topics(topics: list[GroupTopic]) -> Health:
    """The worst of these topics."""
    return worst_of([Health(Kind(topic.health), topic.since_us, Cause(topic.cause)) for topic in topics])


def lag_of_topics(topics: list[GroupTopic]) -> int | None:
    """In records, of all of these topics; None where it is not known of one, and where there is none."""
    known = [topic.lag_records for topic in topics if topic.lag_records is not None]
    return sum(known) if known and len(known) == len(topics) else None


def _topic(topic: GroupTopic) -> dict[str, Any]:
    return {
        "topic": topic.topic,
        "at": _text(topic.at_us),
        "lag_records": topic.lag_records,
        "lag_seconds": topic.lag_seconds,
        "seconds_by": topic.seconds_by,
        "in_rate": topic.in_rate,
        "out_rate": topic.out_rate,
        "health": topic.health,
        "cause": topic.cause,
        "since": _text(topic.since_us),
        "counts": topic.counts,
        "catch_up_s": topic.catch_up_s,
        "loss_s": topic.loss_s,
        "lost_records": topic.lost_records,
        "hot": _hot([topic]),
    }


def _partition(topic: str, row: list[Any]) -> dict[str, Any]:
    found = dict(zip(PARTITION_FIELDS, row, strict=True))
    since_us = found.pop("since_us")
    return {
        "topic": topic,
        **found,
        "seconds_by": found["seconds_by"] or "",
        "since": _text(since_us),
        "lost_records": max(0, found["start"] - found["committed"]),
    }


def _hot(topics: list[GroupTopic]) -> dict[str, Any] | None:
    known = [(topic.lag_records or 0, topic.topic, topic.hot) for topic in topics if topic.hot]
    if not known:
        return None
    _, topic, hot = max(known, key=lambda each: each[0])
    return {"topic": topic, **(hot or {})}


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _worst(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None


def _text(at_us: int | None) -> str | None:
    return None if at_us is None else instant_text(Instant(at_us))
