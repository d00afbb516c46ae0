"""Which partition of a source has got no record while others did: a producer that died, or a key that ran
dry, of which the source as a whole shows nothing.

A partition is held to its own rhythm: one that gets a record an hour is not silent after ten minutes. One
that never got a record while it was watched says nothing. Of what stands, the longest survives a restart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from weir.alerts.services.standing import Standing

_RHYTHM: Final = 3
"""Silent is what stands for so many times as long as it ever stood before."""


@dataclass(slots=True)
class _Partition:
    """Where a partition ends, since when, and the longest time that it stood before that, µs."""

    end: int
    since_us: int
    has_begun: bool = False  # `since_us` is when it got a record, not when the watch began
    longest_us: int | None = None  # None: it has not got two records yet


class SilentPartitions:
    """The partitions of all sources.

    Args:
        standing: which remembers the longest silence of each source.
    """

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._sources: dict[str, dict[int, _Partition]] = {}

    def longest(self, key: str, ends: Mapping[int, int], now_us: int) -> tuple[int, float] | None:
        """The partition of a source that has been silent the longest, and for how many seconds others got
        records meanwhile; None: none is.

        Args:
            key: of the source, 200 characters at most.
            ends: end offset by partition.
            now_us: the present.
        """
        known = self._sources.get(key)
        if known is None:
            known = self._sources[key] = self._remembered(key, ends)
        for gone in known.keys() - ends.keys():
            del known[gone]
        for partition, end in ends.items():
            _note(known, partition, end, now_us)
        newest_us = max((one.since_us for one in known.values()), default=0)
        silent = {
            number: newest_us - one.since_us
            for number, one in known.items()
            if one.longest_us is not None and newest_us - one.since_us > _RHYTHM * one.longest_us
        }
        if not silent:
            self._standing.moved(key)
            return None
        partition = max(silent, key=silent.__getitem__)
        self._standing.stands(key, f"{partition}:{known[partition].end}", known[partition].since_us, now_us)
        return partition, silent[partition] / 1e6

    def keep(self, key: str) -> None:
        """The source's ends are not known now: what is known of it stays."""
        self._standing.keep(key)

    def _remembered(self, key: str, ends: Mapping[int, int]) -> dict[int, _Partition]:
        found = self._standing.find(key)
        if found is None:
            return {}
        number, _, end = found[0].partition(":")
        if ends.get(int(number)) != int(end):
            return {}
        return {int(number): _Partition(int(end), found[1], has_begun=True, longest_us=0)}


def _note(known: dict[int, _Partition], partition: int, end: int, now_us: int) -> None:
    one = known.get(partition)
    if one is None or end < one.end:
        known[partition] = _Partition(end, now_us)
    elif end > one.end:
        if one.has_begun:  # how long it stood before the watch began is not known
            one.longest_us = max(one.longest_us or 0, now_us - one.since_us)
        one.end, one.since_us, one.has_begun = end, now_us, True
