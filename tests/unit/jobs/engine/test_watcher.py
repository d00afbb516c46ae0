"""How far the watcher says that a run has come."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jobs.engine.cluster_poller import PollResult
from jobs.engine.consumer_metrics import ConsumerProgress, PartitionId
from jobs.engine.kafka_admins import DescribedTopic, KafkaAdmins
from jobs.engine.run_queries import RunQueries
from jobs.engine.run_supervisor import RunSupervisor
from jobs.engine.watcher import Watcher, _partitions
from jobs.run_states import RUNNING, STOPPED
from tests.support.desired_runs import HOME, bound_source, desired_run, engine_settings
from tests.support.open_gate import open_gate
from tests.support.plan_helpers import contract
from tests.support.recording_reporter import RecordingReporter

PARTITION: PartitionId = ("t", 0)
SOURCE = bound_source(contract())


def supervised(folder: Path, run_id: str = "r1", **more: Any) -> tuple[RunSupervisor, Any]:
    """A run in real-time mode that runs, and its reporter."""
    settings = engine_settings(HOME, folder)
    reporter: Any = RecordingReporter(settings)
    run = desired_run({"s": SOURCE}, mode="realtime", run_id=run_id, **more)
    supervisor = RunSupervisor(run, cast(Any, None), settings, reporter, KafkaAdmins(), open_gate())
    supervisor.positions.read_by({None: frozenset({"s"})})
    supervisor._observed.report(RUNNING)
    return supervisor, reporter


def test_what_consumers_of_the_attempt_before_had_fetched_ends_no_replay(tmp_path: Path) -> None:
    supervisor, reporter = supervised(tmp_path)
    restarts: list[bool] = [False, True]

    def progress(_: str) -> dict[PartitionId, ConsumerProgress]:
        if restarts.pop(0):  # its queries fail between the question and its answer
            supervisor.attempt += 1
            supervisor.positions.restarted()
        return {PARTITION: ConsumerProgress(lag=40, lead=60)}

    metrics: Any = SimpleNamespace(read=lambda: SimpleNamespace(of=progress))
    watcher = Watcher(HOME, reporter, KafkaAdmins(), metrics, lambda: [supervisor], lambda _: None)
    for _ in range(2):
        watcher._on_result(PollResult(HOME, {PARTITION: 100}, {PARTITION: 0}))
    assert supervisor.positions.replaying


def test_what_a_micro_batch_has_fetched_of_a_backlog_has_given_no_result(tmp_path: Path) -> None:
    supervisor, reporter = supervised(tmp_path)
    supervisor._queries = RunQueries({}, drain_to={})
    consumer = {PARTITION: ConsumerProgress(lag=40, lead=60)}
    metrics: Any = SimpleNamespace(read=lambda: SimpleNamespace(of=lambda _: consumer))
    watcher = Watcher(HOME, reporter, KafkaAdmins(), metrics, lambda: [supervisor], lambda _: None)
    watcher._on_result(PollResult(HOME, {PARTITION: 100}, {PARTITION: 0}))
    assert supervisor.positions.now()["s"][0].fetched is None


@pytest.mark.parametrize(("runs", "of_each"), [(1, 11), (40, 3), (200, 3)])
def test_of_many_runs_positions_are_reported_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int, of_each: int
) -> None:
    """Of 40 every fourth second, and never less often than every fifth."""
    supervisors = [supervised(tmp_path, f"r{number}")[0] for number in range(runs)]
    reporter: Any = RecordingReporter(engine_settings(HOME, tmp_path))
    metrics: Any = SimpleNamespace(read=lambda: SimpleNamespace(of=lambda _: {}))
    watcher = Watcher(HOME, reporter, KafkaAdmins(), metrics, lambda: supervisors, lambda _: None)
    for second in range(11):
        monkeypatch.setattr("jobs.engine.watcher.time.monotonic", lambda now=1_000.0 + second: now)
        watcher._on_result(PollResult(HOME, {PARTITION: 100 + second}, {PARTITION: 0}))
    assert Counter(report.run_id for report in reporter.sent) == {f"r{at}": of_each for at in range(runs)}


def watcher_of(reporter: Any, *supervisors: RunSupervisor) -> Watcher:
    """A watcher of these runs, which knows nothing of Spark's consumers."""
    return Watcher(HOME, reporter, KafkaAdmins(), None, lambda: list(supervisors), lambda _: None)


def test_of_a_partition_that_its_cluster_says_nothing_about_no_end_is_known(tmp_path: Path) -> None:
    """Its right was taken away, say: the end that was known says less every second."""
    supervisor, reporter = supervised(tmp_path)
    other = supervised(tmp_path, "r2")[0]
    watcher = watcher_of(reporter, supervisor, other)
    ends = []
    for end in (100, None):
        watcher._on_result(PollResult(HOME, {PARTITION: end}))
        ends.append(supervisor.positions.now()["s"][0].end)
    assert ends == [100, None]
    assert (supervisor.state, other.state) == (RUNNING, RUNNING)


@pytest.mark.parametrize("engine_stops", [False, True])
def test_what_a_run_committed_at_its_end_is_mirrored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine_stops: bool
) -> None:
    """Else Kafka's tools show its last batch as lag, for as long as it is stopped."""
    supervisor, reporter = supervised(tmp_path, mirror_group="weir.tests.test")
    watcher = watcher_of(reporter, supervisor)
    mirrored: list[Any] = []
    monkeypatch.setattr(watcher._mirrors, "commit", lambda *of: mirrored.append(of))
    watcher._poll()
    supervisor.positions.drained({"s": {0: 7}})
    supervisor._observed.report(STOPPED)
    assert mirrored == []
    if engine_stops:
        watcher._results.put(None)
        watcher._watch()
    else:
        watcher._poll()
        watcher._poll()
    assert mirrored == [(HOME, "weir.tests.test", {PARTITION: 7})]


def test_partitions_that_a_topic_was_given_while_it_is_read_are_watched(tmp_path: Path) -> None:
    supervisor, reporter = supervised(tmp_path)
    assert _partitions(HOME, [supervisor]) == {PARTITION}
    watcher_of(reporter, supervisor)._on_result(PollResult(HOME, topics={"t": DescribedTopic("", 2)}))
    assert _partitions(HOME, [supervisor]) == {PARTITION, ("t", 1)}
