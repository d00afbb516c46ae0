"""How many rows a table has, in fixed memory: exact for small tables, an estimate for large ones."""

import hashlib
import heapq
from dataclasses import dataclass, field
from typing import Final

MAX_KEYS: Final = 4_096  # an estimate then errs by 1.6 % (one standard deviation)
_SPACE: Final = 2**64


def digest(key: str) -> int:
    """64 bits that spread evenly, whoever chooses the keys."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")


@dataclass
class KeySketch:
    """The keys with the smallest digests, with the version of their newest entry and whether it is
    a row (k minimum values).
    """

    entries: dict[int, tuple[int, bool]] = field(default_factory=dict)
    full: bool = False
    _largest_first: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, entries: dict[int, tuple[int, bool]], *, full: bool) -> "KeySketch":
        """A sketch from stored `entries`; `full`: whether it had dropped keys."""
        largest_first = [-key for key in entries]
        heapq.heapify(largest_first)
        return cls(entries, full, largest_first)

    def wants(self, key: int) -> bool:
        """True if this key is needed for the estimate."""
        return not self.full or key <= -self._largest_first[0]

    def note(self, key: int, version: int, *, alive: bool) -> None:
        """Add an entry of a key for which `wants` is true: a row, or a deletion. An entry older than the
        known version is ignored.
        """
        if version < self.entries.get(key, (version, alive))[0]:
            return
        if key not in self.entries:
            heapq.heappush(self._largest_first, -key)
            if len(self._largest_first) > MAX_KEYS:
                self.full = True
                gone = -heapq.heappop(self._largest_first)
                self.entries.pop(gone, None)
                if gone == key:
                    return
        self.entries[key] = (version, alive)

    def rows(self) -> int:
        """How many keys have a row; exact while not `full`."""
        living = sum(alive for _, alive in self.entries.values())
        if not self.full:
            return living
        keys = (MAX_KEYS - 1) * _SPACE / -self._largest_first[0]
        return round(keys * living / MAX_KEYS)
