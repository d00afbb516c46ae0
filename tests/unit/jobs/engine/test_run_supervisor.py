"""What a supervisor asks of the gate before its queries start, and how a run ends that fails meanwhile."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from jobs.engine import run_supervisor
from jobs.engine.failures import failure_of, topic_recreated
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.run_queries import RunQueries
from jobs.engine.run_supervisor import RunSupervisor
from jobs.kafka_messages import BoundSource, Positions, StartPosition
from tests.support.desired_runs import desired_run, engine_settings, locked_out_profile
from tests.support.open_gate import open_gate
from tests.support.plan_helpers import contract
from tests.support.recording_reporter import RecordingReporter

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
UNREACHABLE = KafkaException(KafkaError(KafkaError._TRANSPORT))


class Gate:
    """A gate that notes how a run asked, and stops it: no queries start here."""

    def __init__(self) -> None:
        self.asked: list[bool] = []
        self.supervisor: RunSupervisor | None = None

    def enter(self, *_: object, admitted_before: bool, precedence: int) -> bool:
        self.asked.append(admitted_before)
        assert self.supervisor is not None
        self.supervisor.stop()
        return False


@pytest.mark.parametrize("recovering", [False, True])
def test_a_run_whose_broker_did_not_answer_before_it_was_let_in_asks_for_capacity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recovering: bool
) -> None:
    answers = iter([KafkaException(KafkaError(KafkaError._TRANSPORT)), None])

    def find(*_: object) -> None:
        if (answer := next(answers)) is not None:
            raise answer

    monkeypatch.setattr(run_supervisor, "find_lost_topic", find)
    monkeypatch.setattr(run_supervisor, "RETRY_DELAYS_S", (0.0,))
    monkeypatch.setattr(RunSupervisor, "_lost_topic_or", lambda _, failure: failure)
    monkeypatch.setattr(run_supervisor, "is_alive", lambda _: True)
    settings = engine_settings(HOME, tmp_path)
    gate, reporter = Gate(), RecordingReporter(settings)
    run = desired_run({}, recovering=recovering)
    supervisor = RunSupervisor(
        run, cast(Any, None), settings, cast(Any, reporter), KafkaAdmins(), cast(Any, gate)
    )
    gate.supervisor = supervisor
    supervisor.start()
    assert supervisor.join(60)
    assert gate.asked == [recovering]


class Query:
    """A query as `RunQueries` sees it."""

    def __init__(self, on_stop: Callable[[], None] = lambda: None, *, ended: bool = False) -> None:
        self.isActive = not ended
        self._on_stop = on_stop

    def stop(self) -> None:
        self.isActive = False
        self._on_stop()

    def exception(self) -> None:
        return None


class Run:
    """A run whose queries are given; it notes the states that it reports."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        query: Query | None = None,
        drain_to: Positions | None = None,
        **desired: Any,
    ) -> None:
        settings = engine_settings(HOME, folder)
        self._reporter = RecordingReporter(settings)
        run, reporter = desired_run({}, **desired), cast(Any, self._reporter)
        self.supervisor = RunSupervisor(run, cast(Any, None), settings, reporter, KafkaAdmins(), open_gate())
        self.query = query or Query()
        starter: Any = lambda *_: RunQueries({None: (None, lambda: cast(Any, self.query))}, drain_to)  # noqa: E731
        monkeypatch.setattr(self.supervisor._starter, "start", starter)
        monkeypatch.setattr(run_supervisor, "is_alive", lambda _: True)
        monkeypatch.setattr(run_supervisor, "RETRY_DELAYS_S", (0.0,))

    def states(self) -> list[str]:
        """The states that it reports until its end."""
        self.supervisor.start()
        assert self.supervisor.join(30), self.supervisor.state
        return [report.state for report in self._reporter.sent]


def asked_for_topics(monkeypatch: pytest.MonkeyPatch, *answers: Callable[[], None]) -> None:
    """What happens each time when a supervisor asks Kafka whether the run's topics are there; the last of
    them for ever.
    """
    left = list(answers)
    monkeypatch.setattr(
        run_supervisor, "find_lost_topic", lambda *_: (left.pop(0) if len(left) > 1 else left[0])()
    )


def refuse() -> None:
    raise UNREACHABLE


def there() -> None:
    """All topics are there."""


def test_a_run_that_is_stopped_while_it_asks_what_its_queries_failed_of_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, monkeypatch, Query(ended=True))
    asked_for_topics(monkeypatch, there, run.supervisor.stop)
    assert run.states() == ["starting", "running", "stopping", "stopped"]


def test_a_run_that_is_stopped_while_its_queries_end_because_of_a_lost_topic_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, monkeypatch)
    run.query = Query(run.supervisor.stop)
    asked_for_topics(monkeypatch, there)
    monkeypatch.setattr(
        run.supervisor._tracker, "tick", lambda: run.supervisor.abort(topic_recreated("orders"))
    )
    monkeypatch.setattr(run_supervisor, "WATCH_INTERVAL_S", 0.0)
    assert run.states() == ["starting", "running", "stopping", "stopped"]


@pytest.mark.parametrize(("mode", "drains", "held"), [("realtime", False, 7), ("realtime", True, 1)])
def test_a_run_holds_the_slots_of_its_plan_and_while_it_drains_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, drains: bool, held: int
) -> None:
    """The platform places by the plan, and shows what engines say they use."""
    run = Run(tmp_path, monkeypatch, mode=mode, slots=7, drain_to={} if drains else None)
    asked_for_topics(monkeypatch, there)
    seen: list[int] = []

    def tick() -> None:
        seen.append(run.supervisor.slots)
        run.supervisor.stop()

    monkeypatch.setattr(run.supervisor._tracker, "tick", tick)
    assert run.supervisor.slots == 7, "until its queries run"
    assert run.states()[-1] == "stopped"
    assert (seen, run.supervisor.slots) == ([held], 0)


def test_a_run_that_fails_alone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for_topics(monkeypatch, there)
    run = Run(tmp_path, monkeypatch, Query(ended=True))
    assert run.states() == ["starting", "running", "failed"]


def test_a_run_that_moves_to_another_engine_does_not_wait_for_a_batch_of_an_unreachable_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, monkeypatch, Query(ended=True))

    def moves() -> None:
        run.supervisor.stop_at_batch_end()
        refuse()

    monkeypatch.setattr(RunQueries, "failure", lambda _: failure_of("_TRANSPORT"))
    asked_for_topics(monkeypatch, there, moves, refuse)
    assert run.states() == ["starting", "running", "stopped"]


def test_a_run_whose_password_cannot_be_decrypted_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = locked_out_profile()
    source = BoundSource(
        stream="orders",
        cluster=far,
        topic="orders",
        topic_id="",
        partitions=1,
        contract=contract(),
        start=StartPosition(kind="earliest"),
    )
    settings = engine_settings(HOME, tmp_path)
    monkeypatch.setattr(run_supervisor, "is_alive", lambda _: True)
    supervisor = RunSupervisor(
        desired_run({"orders": source}),
        cast(Any, None),
        settings,
        cast(Any, RecordingReporter(settings)),
        KafkaAdmins(HOME),
        open_gate(),
    )
    supervisor.start()
    assert supervisor.join(30)
    failure = supervisor.heartbeat().failure
    assert failure is not None
    assert (failure.code, failure.permanent) == ("AUTHENTICATION_FAILED", True)
