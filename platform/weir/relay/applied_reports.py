"""Reports that one loop of the relay has stored and the other still has to measure. Bounded: while results
cannot be stored, nobody takes them.
"""

import logging
import threading
from typing import Final

from jobs.kafka_messages import CopyReport, PartitionProgress, PositionsReport, ProgressReport, Report

_LOG: Final = logging.getLogger(__name__)
MAX_WAITING: Final = 20_000  # of a few KB each

Measured = PositionsReport | ProgressReport | CopyReport


class AppliedReports:
    """A queue of the reports that history measures, in order; others are left out. Thread-safe.

    When it is full, positions of a run are folded into its newer ones, which loses nothing but rates within
    that time; then the oldest reports are dropped, so that counts of history are too low, which is logged.
    """

    def __init__(self, most: int = MAX_WAITING) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: list[Measured] = []
        self._dropped = 0

    def put(self, reports: list[Report]) -> None:
        """Add reports; never waits."""
        with self._lock:
            self._waiting += [report for report in reports if isinstance(report, Measured)]
            if len(self._waiting) > self._most:
                self._shrink()

    def take(self) -> list[Measured]:
        """All that wait, in order."""
        with self._lock:
            found, dropped = self._waiting, self._dropped
            self._waiting, self._dropped = [], 0
        if dropped:
            _LOG.warning("%s reports are missing in history, because results could not be stored", dropped)
        return found

    def _shrink(self) -> None:
        self._waiting = _folded(self._waiting)
        # To the half, so that the work of folding is spread over many reports.
        excess = len(self._waiting) - self._most // 2
        if excess > 0:
            self._waiting = self._waiting[excess:]
            self._dropped += excess


def _folded(reports: list[Measured]) -> list[Measured]:
    """The reports with the positions of each run's epoch folded into the newest report of them."""
    found: list[Measured] = []
    newest: dict[tuple[str, int], int] = {}  # run and epoch → index of its positions in `found`, from the end
    for report in reversed(reports):
        at = newest.get((report.run_id, report.epoch))
        if not isinstance(report, PositionsReport):
            found.append(report)
        elif at is None:
            newest[report.run_id, report.epoch] = len(found)
            found.append(report)
        else:
            later = found[at]
            assert isinstance(later, PositionsReport)
            found[at] = later.model_copy(update={"sources": _over(report.sources, later.sources)})
    return found[::-1]


def _over(
    before: dict[str, dict[int, PartitionProgress]], after: dict[str, dict[int, PartitionProgress]]
) -> dict[str, dict[int, PartitionProgress]]:
    """The later progress of each partition, or the earlier where there is no later one."""
    return {source: {**before.get(source, {}), **after.get(source, {})} for source in {**before, **after}}
