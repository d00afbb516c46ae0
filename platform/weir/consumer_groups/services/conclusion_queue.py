"""Which groups a pass concludes on: all where there are few, and in turn where there are very many. Pure.

Reading what a cluster's groups have committed is cheap; what costs is to judge, to forecast and to store each
partition that is behind. Of a hundred thousand of these a pass takes a part, those first whose turn is the
longest ago, so that the next pass comes soon and a group that just stopped need not wait for all others.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from weir.consumer_groups.services.cluster_read import ClusterRead
from weir.consumer_groups.services.cluster_state import TopicLag
from weir.runs.services.lag_health import Kind

BUDGET: Final = 8_000  # partitions of a pass
STANDING_DELAY_US: Final = 60_000_000
"""By so much later comes a group that stands: nothing about it changes but how long it has been."""
SETTLES_AFTER_US: Final = 120_000_000
"""For so long a group that has read everything is concluded on: until its rates are zero, and until one
without members is empty. Then nothing about it changes until it commits, or its topics get records.
"""
_STANDING: Final = frozenset({Kind.STOPPED, Kind.STALLED, Kind.LOSING, Kind.EMPTY})


@dataclass(slots=True)
class ConclusionQueue:
    """What is known of each group's last conclusion.

    Args:
        budget: partitions of a pass; groups that were never concluded on come on top.
    """

    budget: int = BUDGET
    _concluded_us: dict[str, int] = field(default_factory=dict)
    _quiet_since_us: dict[str, int] = field(default_factory=dict)
    _standing: set[str] = field(default_factory=set)

    def choose(self, read: ClusterRead, changed: set[str], moved: Iterable[str]) -> set[str]:
        """The groups to conclude on now.

        Args:
            read: the newest pass.
            changed: groups of which any offset is not what it was at the pass before.
            moved: groups that have committed, or whose members or state are not what they were.
        """
        for gone in self._concluded_us.keys() - read.groups.keys():
            del self._concluded_us[gone]
        for stirred in self._quiet_since_us.keys() - (read.groups.keys() - changed - set(moved)):
            del self._quiet_since_us[stirred]
        self._standing &= read.groups.keys() - set(moved)
        waiting = [name for name in self._concluded_us if not self._is_settled(name)]
        waiting.sort(key=self._turn_us)
        chosen, left = read.groups.keys() - self._concluded_us.keys(), self.budget
        for name in waiting:
            if left <= 0:
                break
            chosen.add(name)
            left -= max(1, len(read.groups[name].committed))
        return chosen

    def _is_settled(self, name: str) -> bool:
        since_us = self._quiet_since_us.get(name)
        return since_us is not None and self._concluded_us[name] - since_us >= SETTLES_AFTER_US

    def _turn_us(self, name: str) -> int:
        is_later = name in self._standing or name in self._quiet_since_us
        return self._concluded_us[name] + (STANDING_DELAY_US if is_later else 0)

    def concluded(
        self, topics: Mapping[str, list[TopicLag]], at_us: int, waiting: Collection[str] = ()
    ) -> None:
        """Learn what was concluded.

        Args:
            topics: by group.
            at_us: time of the pass.
            waiting: groups of which a topic was left out, so that they have not been seen in full.
        """
        for name, found in topics.items():
            self._concluded_us[name] = at_us
            if name not in waiting and all(not each.lag_records for each in found):
                self._quiet_since_us.setdefault(name, at_us)
            else:
                self._quiet_since_us.pop(name, None)
            stands = bool(found) and all(each.health.kind in _STANDING for each in found)
            (self._standing.add if stands else self._standing.discard)(name)
