"""The keeper of a run of two stages, on Spark and Kafka in one process: resumed after a crash, and failed by one of its stages."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.engine.clusters import Clusters
from jobs.engine.keeper import RunKeeper
from jobs.engine.reporter import Reporter
from jobs.messages import DesiredRun, RunStateReport
from tests.support.desired_runs import engine_settings
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, Reports
from tests.support.two_query_job import CONTRACT, DOCUMENT, Outputs, check_counts, events, malformed

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1200)]

Keeping = Callable[[DesiredRun], RunKeeper]


@pytest.fixture
def keeping(bench: Bench, spark: SparkSession) -> Iterator[Keeping]:
    """Starts keepers; those that are left are stopped."""
    settings = engine_settings(bench.home, bench.folder)
    reporter, clusters = Reporter(settings), Clusters()
    keepers: list[RunKeeper] = []

    def keep(run: DesiredRun) -> RunKeeper:
        keeper = RunKeeper(run, spark, settings, reporter, clusters)
        keepers.append(keeper)
        keeper.start()
        return keeper

    yield keep
    for keeper in keepers:
        keeper.stop()
        assert keeper.join(60)
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


def test_stages_resume_and_fail_together(
    bench: Bench, reports: Reports, keeping: Keeping, run: DesiredRun, topic: str, outputs: Outputs
) -> None:
    keeper = keeping(run)
    bench.produce(topic, [*events(0, 100), *malformed()])
    outputs.wait(100, lambda: keeper.state)
    check_counts(reports, run)
    bench.produce(topic, events(100, 160))
    outputs.wait(160, lambda: keeper.state)
    keeper.stop()
    assert keeper.join(60)

    forget_commits(run, "final", batches=1)
    forget_commits(run, "updates", batches=2)
    bench.produce(topic, events(160, 220))
    again = keeping(run.model_copy(update={"epoch": 2, "replay_until": {"s": {0: 162}}}))
    outputs.wait(220, lambda: again.state)
    reports.state(run.model_copy(update={"epoch": 2}), "running")
    assert states(reports, run, 2) == ["starting", "replaying", "running"]
    outputs.check_final()
    again.stop()
    assert again.join(60)

    newest = max(batches_in(run, "updates", "offsets"))
    forget(run, "updates", "offsets", newest)
    (Path(run.checkpoint) / "updates" / "offsets" / str(newest)).write_text("nothing that Spark has written")
    failing = keeping(run.model_copy(update={"epoch": 3}))
    wait_until(lambda: failing.state == "failed", 200, "the run fails")
    assert failing.join(60)
    outputs.read()
    written = len(outputs.done.records)
    bench.produce(topic, events(220, 300))
    assert not failing.alive
    outputs.read()
    assert len(outputs.done.records) == written


def states(reports: Reports, run: DesiredRun, epoch: int) -> list[str]:
    own = (report for report in reports.all if isinstance(report, RunStateReport) and report.run_id == run.run_id)
    return [report.state for report in own if report.epoch == epoch]


def batches_in(run: DesiredRun, stage: str, log: str) -> list[int]:
    return [int(file.name) for file in (Path(run.checkpoint) / stage / log).iterdir() if file.name.isdigit()]


def forget_commits(run: DesiredRun, stage: str, batches: int) -> None:
    """As if the process had died when the last of these batches was written and none of them committed; one is planned at a time."""
    last = sorted(batches_in(run, stage, "commits"))[-batches:]
    for batch in last:
        forget(run, stage, "commits", batch)
    for batch in last[1:]:
        forget(run, stage, "offsets", batch)


def forget(run: DesiredRun, stage: str, log: str, batch: int) -> None:
    folder = Path(run.checkpoint) / stage / log
    (folder / str(batch)).unlink()
    (folder / f".{batch}.crc").unlink(missing_ok=True)
