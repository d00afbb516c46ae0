"""What a supervisor asks of the gate before its queries start."""

from pathlib import Path
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from jobs.engine import run_supervisor
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.run_supervisor import RunSupervisor
from tests.support.desired_runs import desired_run, engine_settings
from tests.support.recording_reporter import RecordingReporter


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
    settings = engine_settings(ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1"), tmp_path)
    gate, reporter = Gate(), RecordingReporter(settings)
    run = desired_run({}, recovering=recovering)
    supervisor = RunSupervisor(
        run, cast(Any, None), settings, cast(Any, reporter), KafkaAdmins(), cast(Any, gate)
    )
    gate.supervisor = supervisor
    supervisor.start()
    assert supervisor.join(60)
    assert gate.asked == [recovering]
