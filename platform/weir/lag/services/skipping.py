"""Finds the sources of a run that skip too many records. Pure functions: counts in, alerts out.

The window is the last minutes in which a source had records, not of the clock: a table whose records were all
malformed when it was read, and which has had no records since, is still empty.
"""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.base.iso_times import read_instant
from jobs.kafka_messages import MalformedExample, SourceRead

WINDOW_US: Final = 300_000_000
_BUCKET_US: Final = 10_000_000
_OTHERS: Final = ""  # in place of reasons that another process has counted and not told


@dataclass(frozen=True, slots=True)
class Threshold:
    """When skipped records raise an alert.

    Attributes:
        share: of the records read, 0 to 1.
        minimum: of malformed records; with fewer, only if all are malformed.
    """

    share: float = 0.05
    minimum: int = 20

    def is_exceeded(self, records: int, malformed: int) -> bool:
        """Whether too many records are malformed."""
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
    """Counts of a source's last minutes with records."""

    buckets: deque[_Bucket] = field(default_factory=deque)
    example: MalformedExample | None = None
    since_us: int | None = None

    @classmethod
    def of_alert(cls, alert: Mapping[str, Any], at_us: int) -> "SourceSkips":
        """What another process has told, to go on with: one good record does not take it back.

        Args:
            alert: of `alert`, as stored.
            at_us: the present; what was counted then is as if it had come now.
        """
        example = None if alert["example"] is None else MalformedExample.model_validate(alert["example"])
        of_reason = alert["reason_records"]
        malformed = Counter({alert["reason"]: of_reason, _OTHERS: alert["malformed"] - of_reason})
        bucket = _Bucket(at_us, alert["records"], malformed)
        return cls(deque([bucket]), example, read_instant(alert["since"]))

    def add(self, read: SourceRead, at_us: int, threshold: Threshold) -> None:
        """Add counts.

        Args:
            read: counts of one batch, or of a broadcast table.
            at_us: time in µs; never decreases.
            threshold: of this installation.
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
        if not threshold.is_exceeded(records, malformed.total()):
            self.since_us = None
        elif self.since_us is None:
            self.since_us = at_us

    def alert(self, source: str) -> dict[str, Any] | None:
        """The alert for the API; None if the source skips few records."""
        if self.since_us is None:
            return None
        records, malformed = self._sums()
        reason, count = next(each for each in malformed.most_common() if each[0] != _OTHERS)
        return {
            "source": source,
            "records": records,
            "malformed": malformed.total(),
            "share": _share(malformed.total(), records),
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


def _share(malformed: int, records: int) -> float:
    """1 only where all are malformed: pages say that it is all of them."""
    return 1.0 if malformed == records else min(round(malformed / records, 4), 0.9999)
