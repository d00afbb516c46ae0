"""What a run says of itself while its queries are started again within an epoch: to load a broadcast table
anew, or to change between real-time mode and micro-batches.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from jobs.engine import run_queries, run_supervisor
from jobs.engine.consumer_metrics import ConsumerProgress
from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.run_queries import RunQueries
from jobs.engine.run_supervisor import RunSupervisor
from jobs.engine.start_gate import StartGate
from jobs.kafka_messages import Failure
from tests.support.desired_runs import HOME, bound_source, desired_run, engine_settings
from tests.support.open_gate import open_gate
from tests.support.plan_helpers import contract
from tests.support.recording_reporter import RecordingReporter

SOURCE = bound_source(contract())
PARTITION = ("t", 0)


class Query:
    """A query as `RunQueries` sees it."""

    def __init__(self, *, ended: bool) -> None:
        self.isActive = not ended
        self.before_it_ends: Callable[[], None] = lambda: None

    def stop(self) -> None:
        self.isActive = False

    def exception(self) -> None:
        self.before_it_ends()


class BusyGate(StartGate):
    """A gate that lets a run wait for its turn at every start but the first."""

    def __init__(self) -> None:
        super().__init__(lambda: None, lambda: 0)
        self._asked = 0

    def enter(self, should_wait: Any, on_queued: Callable[[Failure], None], **_: Any) -> bool:
        self._asked += 1
        if self._asked > 1:
            on_queued(failure_of("it waits for its turn"))
        return True


@pytest.fixture(autouse=True)
def _topics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_supervisor, "find_lost_topic", lambda *_: None)
    monkeypatch.setattr(run_supervisor, "is_alive", lambda _: True)


def supervised(
    folder: Path, *starts: RunQueries, gate: StartGate | None = None, **more: Any
) -> RunSupervisor:
    """A run whose attempts have these queries; it is stopped when the last of them start."""
    settings = engine_settings(HOME, folder)
    supervisor = RunSupervisor(
        desired_run({"s": SOURCE}, **more),
        cast(Any, None),
        settings,
        cast(Any, RecordingReporter(settings)),
        KafkaAdmins(),
        gate or open_gate(),
    )
    supervisor.positions.read_by({None: frozenset({"s"})})
    left = list(starts)

    def start(*_: Any) -> RunQueries:
        if len(left) == 1:
            supervisor._should_run.clear()
        return left.pop(0)

    cast(Any, supervisor)._starter.start = start
    return supervisor


def drained(query: Query | None = None) -> RunQueries:
    """A query that has read a backlog to its end."""
    return RunQueries({None: (None, lambda: cast(Any, query or Query(ended=True)))}, {})


def reading() -> RunQueries:
    return RunQueries({None: (None, lambda: cast(Any, Query(ended=False)))})


def states(supervisor: RunSupervisor) -> list[str]:
    supervisor.start()
    assert supervisor.join(30), supervisor.state
    return [report.state for report in cast(Any, supervisor)._observed._reporter.sent]


def test_a_run_that_goes_on_at_once_reports_no_start(tmp_path: Path) -> None:
    assert states(supervised(tmp_path, drained(), reading())) == ["starting", "running", "running", "stopped"]


def test_a_run_that_waits_for_its_turn_to_go_on_says_so(tmp_path: Path) -> None:
    supervisor = supervised(tmp_path, drained(), reading(), gate=BusyGate())
    assert states(supervisor) == ["starting", "running", "queued", "starting", "running", "stopped"]


def test_a_run_that_replays_still_does_when_it_goes_on(tmp_path: Path) -> None:
    supervisor = supervised(tmp_path, drained(), reading(), replay_until={"s": {0: 9}})
    assert states(supervisor) == ["starting", "replaying", "replaying", "stopped"]


def test_a_run_that_waited_for_its_cluster_while_it_replayed_still_replays_when_it_goes_on(
    tmp_path: Path,
) -> None:
    query = Query(ended=True)
    supervisor = supervised(tmp_path, drained(query), reading(), replay_until={"s": {0: 9}})
    query.before_it_ends = lambda: supervisor.on_reachability(reachable=False)
    assert states(supervisor) == ["starting", "replaying", "waiting", "replaying", "stopped"]


@pytest.mark.parametrize("commits", [True, False])
def test_a_run_that_falls_behind_reads_again_only_what_it_could_not_commit_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commits: bool
) -> None:
    """Its results run backwards then, as after a failure."""
    monkeypatch.setattr(run_supervisor.FallingBehind, "update", lambda *_: True)
    supervisor = supervised(tmp_path, reading(), reading(), mode="realtime")
    consumer = {PARTITION: ConsumerProgress(lag=50, lead=50)}
    supervisor.positions.update_ends(HOME, {PARTITION: 100}, {PARTITION: 0}, consumer)
    calls: list[str] = []

    def end_batches(_: object) -> None:
        calls.append("end")
        if commits:
            cast(Any, supervisor)._tracker.boundaries += 1

    monkeypatch.setattr(run_queries, "end_batches", end_batches)
    monkeypatch.setattr(run_queries, "forget_end", lambda _: calls.append("forget"))
    monkeypatch.setattr(run_supervisor, "COMMITS_WITHIN_S", 0.2)
    expected = "running" if commits else "replaying"
    assert states(supervisor) == ["starting", "running", expected, "stopped"]
    assert calls == ["end", "forget"]
