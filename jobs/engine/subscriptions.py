"""Subscriptions of sources, so that Spark's progress distinguishes sources whose topics have one name: on two
clusters, or one topic that several sources read.

Spark's progress identifies a source by its subscription only. A subscription may name a topic several times,
which does not change what is read; so the second source of a name names it twice, and so on. Checkpoints do
not hold subscriptions.
"""

import re
from typing import Any, Final

from jobs.kafka_messages import BoundSource, DesiredRun

_SUBSCRIBED: Final = re.compile(r"Subscribe\[([^\]]*)\]")


def subscription(run: DesiredRun, source: BoundSource) -> str:
    """The subscription of a source: its topic, `repeat_count` times."""
    return ",".join([source.topic] * repeat_count(run, source))


def repeat_count(run: DesiredRun, source: BoundSource) -> int:
    """How often a source's topic is named: once for the first source of the run that reads a topic of that
    name, twice for the next.

    Args:
        run: as desired.
        source: the one of the run itself, because an equal one may be another source.
    """
    same = [other for other in run.sources.values() if other.topic == source.topic]
    return next(count for count, other in enumerate(same, 1) if other is source)


def parse_repeat_count(progress: dict[str, Any]) -> int:
    """How often the topic of a source is named, parsed from Spark's progress of the source."""
    found = _SUBSCRIBED.search(progress.get("description") or "")
    return 1 + found.group(1).count(",") if found else 1
