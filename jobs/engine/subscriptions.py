"""Subscriptions of sources, so that Spark's progress distinguishes topics of the same name on two clusters.

Spark's progress identifies a source by its subscription, not by its cluster. A subscription may name a topic
several times, which does not change what is read; so the topic of a second cluster is named twice, and so on.
"""

import re
from typing import Any, Final

from jobs.kafka_messages import BoundSource, DesiredRun

_SUBSCRIBED: Final = re.compile(r"Subscribe\[([^\]]*)\]")


def subscription(run: DesiredRun, source: BoundSource) -> str:
    """The subscription of a source: its topic, `repeat_count` times."""
    return ",".join([source.topic] * repeat_count(run, source))


def repeat_count(run: DesiredRun, source: BoundSource) -> int:
    """How often a source's topic is named: once for the first cluster on which the run reads a topic of that
    name, twice for the next.
    """
    same = [other.cluster.cluster_id for other in run.sources.values() if other.topic == source.topic]
    return list(dict.fromkeys(same)).index(source.cluster.cluster_id) + 1


def parse_repeat_count(progress: dict[str, Any]) -> int:
    """How often the topic of a source is named, parsed from Spark's progress of the source."""
    found = _SUBSCRIBED.search(progress.get("description") or "")
    return 1 + found.group(1).count(",") if found else 1
