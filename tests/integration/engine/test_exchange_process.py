"""A run with an exchange in an engine process: killed with uncommitted batches, and resumed by another."""

from pathlib import Path

import pytest

from jobs.kafka_messages import DesiredRun, ProgressReport
from tests.support.exchange_job import (
    closed,
    events,
    exchange_run,
    expected,
    forget_commits,
    malformed,
    shown,
    totals,
)
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports, Results

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1800)]

STARTED_WITHIN = 600  # seconds, from the start of an engine on
SETTLED_WITHIN = 300


def check_reports(reports: Reports, run: DesiredRun) -> None:
    """Wait until both queries have processed 100 events and 2 malformed records, and check the sums."""
    reports.wait(
        "both queries have processed all",
        lambda r: (
            isinstance(r, ProgressReport) and r.run_id == run.run_id and r.sources["s"][0].committed == 102
        ),
        SETTLED_WITHIN,
    )
    own = [
        report for report in reports.all if isinstance(report, ProgressReport) and report.run_id == run.run_id
    ]
    assert {report.query for report in own} == {"append", "update"}
    assert (
        sum(report.rows_in for report in own),
        sum(report.malformed.get("s", 0) for report in own),
    ) == (102, 2)
    assert sum(report.late for report in own) == 0
    assert sum(report.rows_out for report in own if report.query == "append") == len(closed(100))


def test_nothing_is_lost_or_counted_twice_between_the_queries(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    topic = bench.topic("in")
    run = exchange_run(bench, topic, engine_id=engine.engine_id)
    assert run.exchange is not None
    result, done = bench.results(run), Results(bench.reader(run.topics["done"]))
    exchange = bench.reader(run.exchange.topic)
    bench.publish(run)
    bench.produce(topic, [*events(0, 100), *malformed()])
    try:
        reports.state(run, "running", STARTED_WITHIN, engine=engine)
        wait_until(
            lambda: totals(result) == expected(100), SETTLED_WITHIN, "windows of 100 events", engine.tail
        )
        wait_until(lambda: shown(done) == closed(100), SETTLED_WITHIN, "final windows of 100 events")
        check_reports(reports, run)
        bench.produce(topic, events(100, 160))
        wait_until(
            lambda: len(shown(done)) > len(closed(100)), SETTLED_WITHIN, "the engine is in the middle of it"
        )
    finally:
        engine.kill()
    forget_commits(run, "append")
    forget_commits(run, "update")
    bench.produce(topic, events(160, 220))

    engine.begin()
    try:
        again = run.model_copy(update={"epoch": 2, "replay_until": {"s": {0: 102}}})
        bench.publish(again)
        reports.state(again, "running", STARTED_WITHIN, engine=engine)
        wait_until(
            lambda: totals(result) == expected(220), SETTLED_WITHIN, "windows of 220 events", engine.tail
        )
        wait_until(lambda: shown(done) == closed(220), SETTLED_WITHIN, "final windows of 220 events")
        bench.publish(again.model_copy(update={"state": "stopped", "revision": 2}))
        reports.state(again, "stopped")
        forget_commits(run, "append")  # the batch that wrote the last windows
        forget_commits(run, "update")
        bench.produce(topic, events(220, 300))
        resumed = run.model_copy(update={"epoch": 3, "revision": 3, "replay_until": {"s": {0: 222}}})
        bench.publish(resumed)
        reports.state(resumed, "running", SETTLED_WITHIN, engine=engine)
        wait_until(
            lambda: totals(result) == expected(300), SETTLED_WITHIN, "windows of 300 events", engine.tail
        )
        rows = [seen.key for seen in exchange.to_end() if seen.key]
        assert len(rows) > len(set(rows)) == len(closed(300)), "rows were written again"
        assert {folder.name for folder in Path(run.checkpoint).iterdir()} == {"append", "update"}
    finally:
        bench.publish(run.run_id)
        for reader in (result, done, exchange):
            reader.close()
