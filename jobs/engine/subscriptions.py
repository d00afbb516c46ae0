"""Subscriptions of sources, so that Spark's progress distinguishes topics of the same name on two clusters.

Spark's progress identifies a source by its subscription, and never by its cluster. A subscription may repeat
a topic, which does not change what is read; so the second cluster's topic is repeated twice, and so on.
"""

import re
from typing import Any, Final

from jobs.kafka_messages import BoundSource, DesiredRun

_SUBSCRIBED: Final = re.compile(r"Subscribe\[([^\]]*)\]")


def subscription(run: DesiredRun, source: BoundSource) -> str:
    """The subscription of a source: its topic, repeated `repeat_count` times."""
    return ",".join([source.topic] * repeat_count(run, source))


def repeat_count(run: DesiredRun, source: BoundSource) -> int:
    """How often a source's topic is repeated: 1 for the first cluster on which the run reads a topic of that
    name, 2 for the next.
    """
    same = [other.cluster.cluster_id for other in run.sources.values() if other.topic == source.topic]
    return list(dict.fromkeys(same)).index(source.cluster.cluster_id) + 1


def parse_repeat_count(progress: dict[str, Any]) -> int:
    """How often the topic of a source is repeated, read from Spark's progress."""
    found = _SUBSCRIBED.search(progress.get("description") or "")
    return 1 + found.group(1).count(",") if found else 1
