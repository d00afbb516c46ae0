"""Consumer groups as the watch stores them."""

import time
from typing import Any

from weir.clusters.models import HOME
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupTopic

NOW_US = time.time_ns() // 1000


def watched(cluster_id: str = HOME) -> None:
    """A pass over a cluster, just now."""
    ClusterWatch.objects.update_or_create(
        cluster_id=cluster_id,
        defaults={"holder": "test", "expires_us": 2**62, "passed_at_us": time.time_ns() // 1000},
    )


def stored_group(
    name: str, topics: dict[str, int], cluster_id: str = HOME, state: str = "Stable", **more: Any
) -> ConsumerGroup:
    """A group with one partition per topic, and its lag there in records.

    Args:
        name: of the group.
        topics: lag by topic.
        cluster_id: of its cluster.
        state: as Kafka names it.
        more: fields of the topics' rows.
    """
    group = ConsumerGroup.objects.create(
        cluster_id=cluster_id,
        name=name,
        state=state,
        protocol="classic",
        members=[["client", "127.0.0.1", None, [[topic, 0] for topic in topics]]]
        if state == "Stable"
        else [],
    )
    for topic, lag in topics.items():
        offsets = [100, 100 + lag, 0, lag]
        row: list[Any] = [0, *offsets, 1.5, "sampled", 2.0, 1.0, "fine", "", None, None, None, 0]
        GroupTopic.objects.create(
            **{
                "cluster_id": cluster_id,
                "group": name,
                "topic": topic,
                "at_us": NOW_US,
                "lag_records": lag,
                "lag_seconds": 1.5,
                "seconds_by": "sampled",
                "in_rate": 2.0,
                "out_rate": 1.0,
                "health": "fine",
                "counts": {"fine": 1},
                "partitions": [row],
            }
            | more
        )
    return group
