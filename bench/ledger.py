"""Send time of each event: a file written by the producer and read by the client, on one machine's clock."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hdrh.histogram import HdrHistogram

KEYS = 10
CAPACITY = 8_000_000  # events, of two hours at 1,000/s; 64 MB, sparse until written
GREATEST_US = 600_000_000  # a histogram's greatest value: ten minutes


def new_histogram() -> HdrHistogram:
    """An empty histogram of microseconds with three significant digits."""
    return HdrHistogram(1, GREATEST_US, 3)


@dataclass(frozen=True)
class Window:
    """The events of one key in one window: the least number, the greatest, and how many."""

    first: int
    last: int
    count: int


WindowId = tuple[int, int]  # begin in µs since 1970, key


@dataclass(frozen=True)
class Differences:
    """What is wrong with the results of a count, in numbers of windows and keys.

    Attributes:
        missing: no result, though events were sent.
        unexpected: a result without events, or a second one of the same window and key.
        different: the result counts other events than those sent: lost, or counted twice.
    """

    missing: int = 0
    unexpected: int = 0
    different: int = 0

    @property
    def total(self) -> int:
        """How many are wrong."""
        return self.missing + self.unexpected + self.different


def differences(expected: Mapping[WindowId, Window], found: Iterable[tuple[WindowId, Window]]) -> Differences:
    """Compare results with what was sent, both as a whole.

    Args:
        expected: of every window and key that has events.
        found: the results, in any order.
    """
    seen: dict[WindowId, Window] = {}
    unexpected = 0
    for which, window in found:
        unexpected += which in seen or which not in expected
        seen.setdefault(which, window)
    return Differences(
        missing=len(expected.keys() - seen.keys()),
        unexpected=unexpected,
        different=sum(seen[which] != expected[which] for which in expected.keys() & seen.keys()),
    )


class Ledger:
    """Sequence number → instant of sending in µs since 1970; 0 where nothing was sent yet.

    Event number g belongs to key g mod `KEYS`, so that a key's greatest number says which of its events a
    result holds.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            with path.open("wb") as file:
                file.truncate(CAPACITY * 8)
        self.sent_us = np.memmap(path, dtype=np.int64, mode="r+", shape=(CAPACITY,))

    def count_in(self, first: int, last: int, window_start_us: int, window_us: int) -> int:
        """How many events of the key from number first to number last were sent inside a window."""
        sent = np.asarray(self.sent_us[first : last + 1 : KEYS])
        return int(((sent >= window_start_us) & (sent < window_start_us + window_us)).sum())

    def sent(self) -> int:
        """How many events were sent; they are the numbers below it."""
        unsent = np.flatnonzero(np.asarray(self.sent_us) == 0)
        return int(unsent[0]) if unsent.size else len(self.sent_us)

    def windows(self, window_us: int) -> dict[WindowId, Window]:
        """The events sent so far, by tumbling window of their time of sending and by key.

        Args:
            window_us: a window's length in µs.
        """
        sent = np.asarray(self.sent_us[: self.sent()])
        numbers = np.arange(len(sent))
        groups, group_of = np.unique(sent // window_us * KEYS + numbers % KEYS, return_inverse=True)
        first, last = np.full(len(groups), len(sent)), np.full(len(groups), -1)
        np.minimum.at(first, group_of, numbers)
        np.maximum.at(last, group_of, numbers)
        counts = np.bincount(group_of, minlength=len(groups))
        return {
            (int(group) // KEYS * window_us, int(group) % KEYS): Window(int(low), int(high), int(count))
            for group, low, high, count in zip(groups, first, last, counts, strict=True)
        }


class Latencies:
    """Event → client latency of every event, from results that name the greatest event they hold.

    An event's latency ends when the first result that holds it arrives. Results of one key come in order.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen: dict[int, int] = {}
        self.histogram = new_histogram()
        self.recording = False
        self.results = 0
        self.newest_arrival_us = 0
        self.newest_latency_us = 0

    def result(self, greatest: int, now_us: int | None = None) -> None:
        """A result arrived that holds every event of its key up to number `greatest`."""
        now = now_us if now_us is not None else time.time_ns() // 1000
        key = greatest % KEYS
        seen = self._seen.get(key, greatest - KEYS)
        self.results += self.recording
        if greatest <= seen:
            return
        sent = self._ledger.sent_us
        self.newest_arrival_us, self.newest_latency_us = now, now - int(sent[greatest])
        if self.recording:
            for number in range(seen + KEYS, greatest + 1, KEYS):
                self.histogram.record_value(min(max(1, now - int(sent[number])), GREATEST_US))
        self._seen[key] = greatest

    def greatest_seen(self) -> int:
        """The greatest event number that any result held, or -1."""
        return max(self._seen.values(), default=-1)
