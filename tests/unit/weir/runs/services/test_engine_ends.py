"""What becomes of runs when the process of their engine has ended."""

import json
import time
from pathlib import Path

import pytest

from jobs.kafka_messages import ProcessHandle
from tests.support.engine_crashes import crash
from tests.support.processes import wait_until
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Engine, Execution, ReconcilerState
from weir.runs.services import engine_ends, processes
from weir.runs.services.engine_ends import note_host_ended
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.epochs import restart
from weir.runs.services.placement import place
from weir.runs.services.versions import add_version
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_dead_process_costs_a_crash_and_its_runs_begin_anew(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[tuple[int, int]] = []  # epoch, and how many processes there were before

    def _publish(_topic: str, values: dict[str, bytes]) -> None:
        published.extend((json.loads(value)["epoch"], len(started)) for value in values.values())

    monkeypatch.setattr("weir.runs.services.run_publisher.publish", _publish)
    run = running(job_of(workspace, owner), kind="dedicated")
    Engine.objects.update(state="stopped")
    engine = Engine.objects.get()
    reconcile_engine(engine.id)
    processes.end(started[0], kill=True)
    wait_until(lambda: not processes.is_alive(started[0]), 10, "the process is dead")
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    run.refresh_from_db()
    # The first time it is started again at once, under a new name.
    assert (engine.state, len(engine.crashes), engine.handle) == ("starting", 1, started[1].model_dump())
    assert (run.epoch, run.observed) == (2, "starting")
    assert Execution.objects.get(epoch=1).end_reason == "Engine ended before it was ready."
    assert published == [(2, 1)], "the process that starts must not find the epoch that is over"
    assert run.published_at is not None


def test_a_tick_knows_when_a_process_ended_that_another_waits_for(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    """Otherwise it would depend on who comes first whether the history says how long noticing took."""
    run = running(job_of(workspace, owner), kind="dedicated")
    Engine.objects.update(state="stopped")
    engine = Engine.objects.get()
    for _ in range(2):
        reconcile_engine(engine.id)
    before_us = time.time_ns() // 1_000
    processes.end(started[0], kill=True)
    wait_until(lambda: not processes.is_alive(started[0]), 10, "the process is dead")
    reconcile_engine(engine.id)
    run.refresh_from_db()
    assert run.epoch == 2
    assert run.start_phases["interrupted"] >= before_us


def test_while_the_broker_is_away_a_dead_process_costs_nothing(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = place(job_of(workspace, owner), "dedicated", 3)
    reconcile_engine(engine.id)
    ReconcilerState.objects.create(pk=1, broker_answers_since=None)
    processes.end(started[0], kill=True)
    wait_until(lambda: not processes.is_alive(started[0]), 10, "the process is dead")
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert (engine.state, engine.crashes) == ("lost", [])


def test_five_crashes_in_ten_minutes_are_enough(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    run = running(job_of(workspace, owner), kind="dedicated")
    engine = Engine.objects.get()
    for _ in range(5):
        Engine.objects.update(
            state="starting", handle=None, retry_at=None, incarnation="gone", last_command_at=None
        )
        reconcile_engine(engine.id)
    count = len(started)
    engine.refresh_from_db()
    run.refresh_from_db()
    assert engine.state == "failed"
    assert run.observed == "failed"
    assert "five times" in run.failure["message"]
    reconcile_engine(engine.id)
    assert len(started) == count
    # A person's new start gives it a new chance.
    assert place(run.generation.job, "dedicated", 3).state == "stopped"


@pytest.mark.parametrize("publish", [True, False])
def test_epochs_of_engines_that_were_stopped_are_published_only_once_nobody_can_take_them(
    owner: User,
    workspace: Workspace,
    started: list[ProcessHandle],
    monkeypatch: pytest.MonkeyPatch,
    publish: bool,
) -> None:
    run = running(job_of(workspace, owner))
    published: dict[str, bytes] = {}
    monkeypatch.setattr(
        "weir.runs.services.run_publisher.publish", lambda _topic, values: published.update(values)
    )
    note_host_ended(publish=publish)
    run.refresh_from_db()
    assert (run.epoch, run.observed) == (2, "starting")
    assert {key: json.loads(value)["epoch"] for key, value in published.items()} == (
        {run.id: 2} if publish else {}
    )
    assert (run.published_at is not None) == publish, "what is not published is when the engine starts"


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize("kind", ["dedicated", "shared"])
def test_a_crash_in_the_middle_of_a_restart_begins_the_new_version_where_it_is_to_run(
    owner: User, workspace: Workspace, kind: str
) -> None:
    job = job_of(workspace, owner)
    run = running(job)
    assert run.engine is not None
    add_version(job, owner, DOCUMENT + f"settings: {{engine: {kind}}}\n")
    run.version = 2
    restart(run, run.engine)
    assert run.awaiting_stop
    crash(run.engine.id)
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.engine.kind, run.epoch, run.version, run.awaiting_stop) == (kind, 2, 2, False)


def test_the_end_of_a_log_is_what_a_database_takes(tmp_path: Path) -> None:
    """A power cut leaves zero bytes, which PostgreSQL takes in no text: one kept old attempts from being
    deleted.
    """
    log = tmp_path / "engine.log"
    log.write_bytes(b"begun\nended \0\0\n")
    assert engine_ends._tail(log) == "begun\nended \ufffd\ufffd"
