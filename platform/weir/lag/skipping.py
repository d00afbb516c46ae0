"""Which sources of a run skip so many records that somebody should know. Pure: counts come in, verdicts go out.

The last minutes in which a source had records count, not the last minutes of the clock: a table whose every record was malformed when
it was read, and which has had none since, is as empty now as it was then.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.messages import MalformedExample, SourceRead

WINDOW_US: Final = 300_000_000
_BUCKET_US: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Threshold:
    """When skipped records are worth a word.

    Attributes:
        share: of the records read, 0 to 1; all of them always are.
        minimum: malformed records; below that only where all are malformed.
    """

    share: float = 0.05
    minimum: int = 20

    def passed(self, records: int, malformed: int) -> bool:
        """True when so many of so many are too many."""
        if not malformed:
            return False
        return malformed >= records or (malformed >= self.minimum and malformed >= self.share * records)


@dataclass(slots=True)
class _Bucket:
    began_us: int
    records: int = 0
    malformed: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class SourceSkips:
    """What a source's last minutes with records held."""

    buckets: deque[_Bucket] = field(default_factory=deque)
    example: MalformedExample | None = None
    since_us: int | None = None

    def take(self, read: SourceRead, at_us: int, threshold: Threshold) -> None:
        """Count what was read.

        Args:
            read: of one batch, or of a table's copy.
            at_us: when, in microseconds; not before that of the call before.
            threshold: as set for this installation.
        """
        if not read.records:
            return
        if not self.buckets or at_us >= self.buckets[-1].began_us + _BUCKET_US:
            self.buckets.append(_Bucket(at_us))
        newest = self.buckets[-1]
        newest.records += read.records
        newest.malformed.update(read.malformed)
        while self.buckets[0].began_us < at_us - WINDOW_US:
            self.buckets.popleft()
        self.example = read.example or self.example
        records, malformed = self._sums()
        if not threshold.passed(records, malformed.total()):
            self.since_us = None
        elif self.since_us is None:
            self.since_us = at_us

    def verdict(self, source: str) -> dict[str, Any] | None:
        """What the API says of the source; None where it skips too little to speak of."""
        if self.since_us is None:
            return None
        records, malformed = self._sums()
        reason, count = malformed.most_common(1)[0]
        return {
            "source": source,
            "records": records,
            "malformed": malformed.total(),
            "share": round(malformed.total() / records, 4),
            "reason": reason,
            "reason_records": count,
            "example": self.example.model_dump() if self.example is not None else None,
            "since": instant_text(Instant(self.since_us)),
        }

    def _sums(self) -> tuple[int, Counter[str]]:
        malformed: Counter[str] = Counter()
        for bucket in self.buckets:
            malformed.update(bucket.malformed)
        return sum(bucket.records for bucket in self.buckets), malformed
