"""How far a run in real-time mode has come that drains a backlog in micro-batches."""

import threading
from collections.abc import Callable

from jobs.engine.reporter import now_us
from jobs.kafka_messages import CatchingUp


class CatchUp:
    """One drain: what was read of it, how fast, and when it will be at the end. Thread-safe.

    Args:
        ends: the sum of the topics' end offsets when it began; None: not known.
        clock: the present in µs.
    """

    def __init__(self, ends: int | None, clock: Callable[[], int] = now_us) -> None:
        self._clock = clock
        self._began_us = clock()
        self._ends = ends
        self._lock = threading.Lock()
        self._read = 0
        self._read_us = self._began_us  # when the last batch had ended

    def batch(self, records: int) -> None:
        """A batch has ended, with so many records."""
        with self._lock:
            self._read += records
            self._read_us = self._clock()

    def report(self, left: int | None, ends: int | None) -> CatchingUp:
        """Where it is now.

        The time of its end assumes the pace of the whole drain so far, less what arrives meanwhile.

        Args:
            left: records that are not committed yet; None: not known.
            ends: the sum of the topics' end offsets; None: not known.
        """
        with self._lock:
            read, read_us = self._read, self._read_us
        took = (read_us - self._began_us) / 1_000_000
        rate = read / took if read and took > 0 else None
        return CatchingUp(
            since_us=self._began_us,
            read=read,
            left=left,
            records_per_second=None if rate is None else round(rate, 1),
            done_us=self._done_us(rate, read_us, left, ends),
        )

    def _done_us(self, rate: float | None, read_us: int, left: int | None, ends: int | None) -> int | None:
        now = self._clock()
        passed = (now - self._began_us) / 1_000_000
        if rate is None or left is None or ends is None or self._ends is None or passed <= 0:
            return None
        gained = rate - max(ends - self._ends, 0) / passed
        # `left` is what was left when the last batch had ended, and what has arrived since.
        return None if gained <= 0 else max(now, read_us + int(left / gained * 1_000_000))
