"""A job of two queries over counted events: updated windows go to a topic, final windows are the result."""

import time
from collections.abc import Callable
from typing import Any

from jobs.kafka_messages import DesiredRun, ProgressReport, Report
from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, Record, Reports, Results

__all__ = ["CONTRACT", "DOCUMENT", "Outputs", "check_counts", "counts", "events", "malformed", "shown"]

DELAY = 10  # seconds
WINDOWED = COUNTS["steps"]["n"]
DOCUMENT: dict[str, Any] = {
    "format": 1,
    "name": "queries",
    "sources": {"s": {"stream": "events", "delay": f"{DELAY}s"}},
    "steps": {"now": WINDOWED, "done": {**WINDOWED, "emit": "final"}},
    "outputs": {"done": {"input": "done", "to": "result"}, "now": {"input": "now", "to": {"topic": "now"}}},
}


def malformed() -> list[Record]:
    """Two records that are none."""
    return [(START, b"{bad"), (START, None)]


def events(first: int, last: int) -> list[Record]:
    """One event a second: keys a, b, c in turn."""
    return [
        (time.time_ns() // 1000, {"at": START + i * SECOND, "k": "abc"[i % 3]}) for i in range(first, last)
    ]


def counts(last: int, until: int) -> dict[str, int]:
    """What the windows that end by `until` hold after events 0 … last − 1, by key and start."""
    found: dict[str, int] = {}
    for i in range(last):
        if (i // 10 + 1) * 10 <= until:
            key = f"{'abc'[i % 3]} {i // 10}"
            found[key] = found.get(key, 0) + 1
    return found


def shown(results: Results) -> dict[str, int]:
    def window(row: dict[str, Any]) -> int:
        text = row["window_start"]
        return (int(text[14:16]) * 60 + int(text[17:19])) // 10

    return {f"{row['k']} {window(row)}": row["n"] for row in results.read().values()}


class Outputs:
    """Both outputs of a run."""

    def __init__(self, bench: Bench, run: DesiredRun) -> None:
        self.done = bench.results(run)
        self.now = Results(bench.reader(run.topics["now"]))

    def read(self) -> None:
        """All that is there."""
        self.done.read()
        self.now.read()

    def wait(self, last: int, tail: Callable[[], str]) -> None:
        """Wait until every window holds the results of `last` events and closed windows are reported.

        tail: returns details for the failure.
        """
        wait_until(
            lambda: shown(self.now) == counts(last, 10**6),
            300,
            f"updated counts of {last} events",
            lambda: f"{shown(self.now)}\n{tail()}",
        )
        closed = counts(last, last - 1 - DELAY)
        wait_until(
            lambda: shown(self.done) == closed,
            300,
            f"final counts of {last} events",
            lambda: f"{self.done.content}\n{tail()}",
        )

    def check_final(self) -> None:
        """A final result never becomes another; a batch that is done again may write it again."""
        for key in {seen.key for seen in self.done.records}:
            assert len({seen.value for seen in self.done.records if seen.key == key}) == 1, key

    def close(self) -> None:
        """Leave both topics."""
        self.done.close()
        self.now.close()


def check_counts(reports: Reports, run: DesiredRun) -> None:
    """What both queries read is counted once, and the run stands where the one stands that is least far."""

    def complete(report: Report) -> bool:
        return (
            isinstance(report, ProgressReport)
            and report.run_id == run.run_id
            and report.sources["s"][0].committed == 102
        )

    reports.wait("both have committed all", complete)
    said = [
        report for report in reports.all if isinstance(report, ProgressReport) and report.run_id == run.run_id
    ]
    assert {report.query for report in said} == {"append", "update"}
    assert sum(report.rows_in for report in said) == 102
    assert sum(report.malformed.get("s", 0) for report in said) == 2
    assert said[0].sources["s"][0].committed is None  # the other has said nothing yet
