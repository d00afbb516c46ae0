"""How topics are named to Spark, so that its progress tells apart topics of one name on two clusters.

Spark's progress tells a source by what it subscribes to, and never by its cluster. A subscription may name a topic several
times, which changes nothing that is read; so the second cluster's topic is named twice, and so on.
"""

import re
from typing import Any, Final

from jobs.messages import BoundSource, DesiredRun

_SUBSCRIBED: Final = re.compile(r"Subscribe\[([^\]]*)\]")


def subscription(run: DesiredRun, source: BoundSource) -> str:
    """What a source subscribes to: its topic, as often as `naming` says."""
    return ",".join([source.topic] * naming(run, source))


def naming(run: DesiredRun, source: BoundSource) -> int:
    """How often a run names a source's topic: 1 for the first cluster on which it reads a topic of that name, 2 for the next."""
    same = [other.cluster.cluster_id for other in run.sources.values() if other.topic == source.topic]
    return list(dict.fromkeys(same)).index(source.cluster.cluster_id) + 1


def named_in(progress: dict[str, Any]) -> int:
    """How often the topic of a source is named, by Spark's progress of it."""
    found = _SUBSCRIBED.search(progress.get("description") or "")
    return 1 + found.group(1).count(",") if found else 1
