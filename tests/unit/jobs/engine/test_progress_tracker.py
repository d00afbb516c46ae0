"""What the queries of a run have done becomes positions and reports."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from jobs.engine.exchange import ExchangeTracker
from jobs.engine.positions import RunPositions
from jobs.engine.progress_tracker import ProgressTracker
from jobs.engine.reporter import Reporter
from jobs.engine.run_reports import RunReports
from jobs.kafka_messages import Positions, SourceRead, ValidatedRange
from jobs.plan import Plan, plan_job
from tests.support.desired_runs import HOME, bound_source, desired_run, engine_settings
from tests.support.exchange_job import DOCUMENT
from tests.support.run_positions import run_positions
from tests.support.two_query_job import CONTRACT

SOURCE = bound_source(CONTRACT, "topic-s", "id")


class Calls:
    """Reporter, exchange and supervisor at once: keeps who was called with what, in order."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, ...]] = []
        self.now_processed: Positions = {}
        self.is_idle = False

    def send(self, report: Any) -> None:
        self.made.append(("send", type(report).__name__, getattr(report, "query", None)))

    def deliver(self, report: Any) -> None:
        self.made.append(("deliver", type(report).__name__))

    def on_positions(self) -> None:
        self.made.append(("on_positions",))

    def upstream_committed(self, watermark_us: int, positions: Positions) -> None:
        self.made.append(("upstream_committed", watermark_us, positions))

    def downstream_committed(self, offset: int) -> None:
        self.made.append(("downstream_committed", offset))

    def upstream_idle(self) -> None:
        self.made.append(("upstream_idle",))

    def take_processed(self) -> Positions:
        return self.now_processed

    def tick(self) -> None:
        self.made.append(("tick",))

    def close(self) -> None:
        self.made.append(("close",))


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def positions() -> RunPositions:
    return run_positions(desired_run({"s": SOURCE}))


@pytest.fixture
def tracker(calls: Calls, positions: RunPositions) -> ProgressTracker:
    reports = RunReports(engine_settings(HOME, Path("nowhere")), desired_run({"s": SOURCE}))
    return ProgressTracker(cast(Reporter, calls), reports, positions, calls.on_positions)


@pytest.fixture
def plan() -> Plan:
    plan = plan_job(DOCUMENT, {"events": CONTRACT})
    assert plan.has_exchange, plan.problems
    return plan


def batch(end: int) -> str:
    """Spark's JSON of a batch that ended at this offset."""
    source = {
        "description": "KafkaV2[Subscribe[topic-s]]",
        "endOffset": {"topic-s": {"0": end}},
        "latestOffset": {"topic-s": {"0": end}},
        "numInputRows": end,
    }
    return json.dumps({"batchId": 1, "timestamp": "2026-01-01T00:00:00.000Z", "sources": [source]})


def committed(positions: RunPositions) -> int | None:
    return positions.now()["s"][0].committed


def test_a_batch_of_the_only_query_is_committed_and_reported(
    tracker: ProgressTracker, positions: RunPositions, calls: Calls
) -> None:
    tracker.on_progress(None, None, batch(3))
    assert committed(positions) == 3
    assert calls.made == [("send", "ProgressReport", None), ("on_positions",)]


def test_rows_of_an_exchange_are_processed_once_both_queries_had_them(
    tracker: ProgressTracker, positions: RunPositions, calls: Calls, plan: Plan
) -> None:
    tracker.follow(plan, cast(ExchangeTracker, calls))
    tracker.on_progress("append", None, batch(3))
    first, *rest = calls.made
    assert first == ("upstream_committed", 0, {"s": {0: 3}})
    assert rest == [("send", "ProgressReport", "append"), ("on_positions",)]
    assert not committed(positions)
    calls.now_processed = {"s": {0: 3}}
    tracker.tick()
    assert calls.made[-1] == ("tick",)
    assert committed(positions) == 3


def test_an_idle_upstream_query_is_told_to_the_exchange(
    tracker: ProgressTracker, calls: Calls, plan: Plan
) -> None:
    tracker.follow(plan, cast(ExchangeTracker, calls))
    tracker.on_idle("update")
    tracker.on_idle("append")
    assert calls.made == [("on_positions",), ("upstream_idle",), ("on_positions",)]
    tracker.close()
    assert calls.made[-1] == ("close",)


def test_counts_of_a_validator_are_stored_before_its_batch_is_committed(
    tracker: ProgressTracker, calls: Calls
) -> None:
    counted = ValidatedRange(partition=0, first=0, last=2, valid=3)
    tracker.on_counts(1, (counted,))
    tracker.on_static_read({"s": SourceRead(records=1)})
    tracker.tick()  # without an exchange: nothing
    tracker.close()
    assert calls.made == [("deliver", "ValidationReport"), ("send", "CopyReport", None)]
