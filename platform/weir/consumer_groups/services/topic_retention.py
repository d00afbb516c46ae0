"""How long topics keep records, asked of their cluster every few minutes."""

import time
from collections.abc import Iterable
from typing import Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import ConfigResource

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import admin
from weir.clusters.services.reachability import TIMEOUT_S
from weir.consumer_groups.services.forecast import Retention

_TTL_S: Final = 120.0
_PER_PASS: Final = 500


class TopicRetention:
    """Retention of a cluster's topics; what its user may not read stays unknown.

    Args:
        profile: of the cluster.
    """

    def __init__(self, profile: ClusterProfile) -> None:
        self._profile = profile
        self._known: dict[str, tuple[float, Retention]] = {}  # monotonic seconds

    def of(self, topics: Iterable[str]) -> dict[str, Retention]:
        """Retention by topic."""
        now, wanted = time.monotonic(), set(topics)
        stale = [name for name in sorted(wanted) if self._known.get(name, (0.0, None))[0] < now][:_PER_PASS]
        if stale:
            resources = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in stale]
            answers: Any = admin(self._profile).describe_configs(resources, request_timeout=TIMEOUT_S)
            for resource, future in answers.items():
                try:
                    found = _retention(future.result(TIMEOUT_S))
                except (KafkaException, TimeoutError):
                    found = Retention()
                self._known[resource.name] = now + _TTL_S, found
        self._known = {name: known for name, known in self._known.items() if name in wanted}
        return {name: known for name, (_, known) in self._known.items()}


def _retention(entries: dict[str, Any]) -> Retention:
    names = ("cleanup.policy", "retention.ms", "retention.bytes")
    cleanup, milliseconds, size = (getattr(entries.get(name), "value", None) for name in names)
    if cleanup is None or milliseconds is None:
        return Retention()
    if "delete" not in cleanup:
        return Retention(None, by_size=False)
    seconds = int(milliseconds) / 1000
    return Retention(None if seconds < 0 else seconds, by_size=size is None or int(size) >= 0)
