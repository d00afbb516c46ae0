"""Since when something that should move has stood still. It survives a restart: what has stood for half a
minute is written down, and forgotten when it moves.
"""

from typing import Final

from jobs.base.instants import Instant, datetime_of, instant_of
from weir.alerts.models import StandingMark

_WRITE_AFTER_US: Final = 30_000_000


class Standing:
    """Values by key. The first look reads the marks."""

    def __init__(self) -> None:
        self._marks: dict[str, tuple[str, int]] | None = None
        self._written: set[str] = set()
        self._due: dict[str, tuple[str, int]] = {}
        self._moved: set[str] = set()
        self._looked_at: set[str] = set()

    def seconds(self, key: str, value: str, now_us: int) -> float | None:
        """How long the value has been the same.

        Args:
            key: of what, 200 characters at most.
            value: where it stands now.
            now_us: the present.
        """
        marks = self._loaded()
        self._looked_at.add(key)
        known = marks.get(key)
        if known is None or known[0] != value:
            marks[key] = (value, now_us)
            if key in self._written:
                self._moved.add(key)
            return 0.0
        if now_us - known[1] >= _WRITE_AFTER_US and key not in self._written:
            self._due[key] = known
        return (now_us - known[1]) / 1e6

    def stands(self, key: str, value: str, since_us: int, now_us: int) -> None:
        """Something stands of which somebody else knows since when; as `seconds`."""
        marks = self._loaded()
        self._looked_at.add(key)
        if marks.get(key) != (value, since_us):
            marks[key] = (value, since_us)
            self._written.discard(key)  # the mark is replaced
        if now_us - since_us >= _WRITE_AFTER_US and key not in self._written:
            self._due[key] = marks[key]

    def moved(self, key: str) -> None:
        """Nothing stands under this key any more."""
        marks = self._loaded()
        self._looked_at.add(key)
        self._due.pop(key, None)
        if marks.pop(key, None) is not None and key in self._written:
            self._moved.add(key)

    def find(self, key: str) -> tuple[str, int] | None:
        """The value that stands under this key, and since when (µs)."""
        return self._loaded().get(key)

    def keep(self, key: str) -> None:
        """Where it stands is not known now: what is known of it stays."""
        self._loaded()
        self._looked_at.add(key)

    def store(self) -> None:
        """Write what stands now, delete the marks of what has moved or is gone."""
        if self._marks is None:
            return
        gone = (self._written - self._looked_at) | self._moved
        if gone:
            StandingMark.objects.filter(pk__in=gone).delete()
        self._marks = {key: mark for key, mark in self._marks.items() if key in self._looked_at}
        if self._due:
            StandingMark.objects.bulk_create(
                [
                    StandingMark(key=key, value=value, since=datetime_of(Instant(since_us)))
                    for key, (value, since_us) in self._due.items()
                ],
                update_conflicts=True,
                unique_fields=["key"],
                update_fields=["value", "since"],
            )
        self._written = (self._written - gone) | set(self._due)
        self._due, self._moved, self._looked_at = {}, set(), set()

    def _loaded(self) -> dict[str, tuple[str, int]]:
        if self._marks is None:
            rows = StandingMark.objects.all()
            self._marks = {row.key: (row.value, instant_of(row.since)) for row in rows}
            self._written = set(self._marks)
        return self._marks
