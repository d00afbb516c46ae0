"""The supervisor of a run with two queries, in one process: recovery from a crash, failure of one query."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.reporter import Reporter
from jobs.engine.run_supervisor import RunSupervisor
from jobs.kafka_messages import DesiredRun, RunStateReport
from tests.support.desired_runs import engine_settings
from tests.support.open_gate import open_gate
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, Reports
from tests.support.two_query_job import CONTRACT, DOCUMENT, Outputs, check_counts, events, malformed

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1200)]

Supervise = Callable[[DesiredRun], RunSupervisor]


@pytest.fixture
def supervise(bench: Bench, spark: SparkSession) -> Iterator[Supervise]:
    """Starts supervisors; those that are left are stopped."""
    settings = engine_settings(bench.home, bench.folder)
    reporter, admins = Reporter(settings), KafkaAdmins()
    supervisors: list[RunSupervisor] = []

    def start(run: DesiredRun) -> RunSupervisor:
        supervisor = RunSupervisor(run, spark, settings, reporter, admins, open_gate())
        supervisors.append(supervisor)
        supervisor.start()
        return supervisor

    yield start
    for supervisor in supervisors:
        supervisor.stop()
        assert supervisor.join(60)
    reporter.flush(5)


@pytest.fixture
def outputs(bench: Bench, run: DesiredRun) -> Iterator[Outputs]:
    opened = Outputs(bench, run)
    yield opened
    opened.close()


@pytest.fixture
def topic(bench: Bench) -> str:
    return bench.topic("in")


@pytest.fixture
def run(bench: Bench, topic: str) -> DesiredRun:
    return bench.run(DOCUMENT, {"s": (topic, CONTRACT)}, topics={"now": bench.topic("now")})


def test_queries_resume_and_fail_together(
    bench: Bench, reports: Reports, supervise: Supervise, run: DesiredRun, topic: str, outputs: Outputs
) -> None:
    supervisor = supervise(run)
    bench.produce(topic, [*events(0, 100), *malformed()])
    outputs.wait(100, lambda: supervisor.state)
    check_counts(reports, run)
    bench.produce(topic, events(100, 160))
    outputs.wait(160, lambda: supervisor.state)
    supervisor.stop()
    assert supervisor.join(60)

    forget_commits(run, "append", batches=1)
    forget_commits(run, "update", batches=2)
    bench.produce(topic, events(160, 220))
    again = supervise(run.model_copy(update={"epoch": 2, "replay_until": {"s": {0: 162}}}))
    outputs.wait(220, lambda: told(reports, run))
    reports.state(run.model_copy(update={"epoch": 2}), "running")
    assert states(reports, run, 2) == ["starting", "replaying", "running"]
    outputs.check_final()
    again.stop()
    assert again.join(60)

    newest = max(batches_in(run, "update", "offsets"))
    forget(run, "update", "offsets", newest)
    (Path(run.checkpoint) / "update" / "offsets" / str(newest)).write_text("nothing that Spark has written")
    failing = supervise(run.model_copy(update={"epoch": 3}))
    wait_until(lambda: failing.state == "failed", 200, "the run fails")
    assert failing.join(60)
    outputs.read()
    written = len(outputs.done.records)
    bench.produce(topic, events(220, 300))
    assert not failing.alive
    outputs.read()
    assert len(outputs.done.records) == written


def told(reports: Reports, run: DesiredRun) -> str:
    """The states that a run reported, with their failures."""
    reports.pump()
    own = [one for one in reports.all if isinstance(one, RunStateReport) and one.run_id == run.run_id]
    return "; ".join(f"{one.epoch}: {one.state} {one.failure or ''}" for one in own)


def states(reports: Reports, run: DesiredRun, epoch: int) -> list[str]:
    own = (
        report for report in reports.all if isinstance(report, RunStateReport) and report.run_id == run.run_id
    )
    return [report.state for report in own if report.epoch == epoch]


def batches_in(run: DesiredRun, query: str, log: str) -> list[int]:
    return [int(file.name) for file in (Path(run.checkpoint) / query / log).iterdir() if file.name.isdigit()]


def forget_commits(run: DesiredRun, query: str, batches: int) -> None:
    """Simulate a crash after these batches were written and before their commits; the next one is planned.

    A batch behind them may be planned already, which did not end before the stop: it was not, then.
    """
    last = sorted(batches_in(run, query, "commits"))[-batches:]
    for batch in last:
        forget(run, query, "commits", batch)
    for batch in batches_in(run, query, "offsets"):
        if batch > last[0]:
            forget(run, query, "offsets", batch)


def forget(run: DesiredRun, query: str, log: str, batch: int) -> None:
    folder = Path(run.checkpoint) / query / log
    (folder / str(batch)).unlink()
    (folder / f".{batch}.crc").unlink(missing_ok=True)
