"""Heartbeats on the platform's side: engines and the runs that they list."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.kafka_messages import Failure, RunHeartbeat
from tests.support.run_factories import heartbeat, job_of, running, state_report
from weir.runs.models import Engine, Generation, Observed, Run
from weir.runs.services.report_handlers import apply_report
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    return running(job_of(workspace, owner))


@pytest.mark.parametrize("ended", ["stopped", "failed"])
def test_runs_of_which_a_heartbeat_says_nothing_new_cost_no_query_each(
    run: Run, django_assert_max_num_queries: Any, ended: str
) -> None:
    """A run that failed is only to stop for an engine that has started since."""
    assert run.engine is not None
    stopped = {}
    for number in range(2, 202):
        generation = Generation.objects.get(pk=run.generation_id)
        generation.pk, generation.number = None, number
        generation.save()
        of = Run.objects.create(
            id=f"r{number}", generation=generation, engine=run.engine, version=1, mode="realtime",
            desired="stopped", observed=ended,
            applied_epoch=1, applied_revision=1,
        )  # fmt: skip
        stopped[of.id] = RunHeartbeat(epoch=1, revision=1, state="stopped", failure=None)
    beat = RunHeartbeat(epoch=1, revision=1, state="running", failure=None)
    with django_assert_max_num_queries(10):
        apply_report(heartbeat(run.engine, {run.id: beat, **stopped}))
    run.refresh_from_db()
    assert run.last_seen_at is not None
    assert not Run.objects.filter(pk__in=stopped, last_seen_at__isnull=False).exists()


def test_a_heartbeat_that_a_report_of_the_run_overtook_changes_no_state(run: Run) -> None:
    assert run.engine is not None
    beat = heartbeat(run.engine, {run.id: RunHeartbeat(epoch=1, revision=1, state="running", failure=None)})
    apply_report(state_report(run, "stopped"))
    apply_report(beat)
    run.refresh_from_db()
    assert run.observed == "stopped"
    apply_report(
        heartbeat(run.engine, {run.id: RunHeartbeat(epoch=1, revision=1, state="running", failure=None)})
    )
    run.refresh_from_db()
    assert run.observed == "running", "a later one is believed"


def test_after_the_clock_was_set_back_heartbeats_are_heard_again(run: Run) -> None:
    assert run.engine is not None
    ahead = timezone.now() + timedelta(hours=1)
    Run.objects.update(last_seen_at=ahead)
    beat = RunHeartbeat(epoch=1, revision=1, state="running", failure=None)
    apply_report(heartbeat(run.engine, {run.id: beat}))
    run.refresh_from_db()
    assert run.last_seen_at is not None
    assert run.last_seen_at <= timezone.now()
    Run.objects.update(last_seen_at=ahead)
    waits = RunHeartbeat(epoch=1, revision=1, state="waiting", failure=None)
    apply_report(heartbeat(run.engine, {run.id: waits}))
    run.refresh_from_db()
    assert run.observed == "waiting"


@pytest.mark.parametrize(("epoch", "desired"), [(1, "running"), (2, "running"), (2, "stopped")])
def test_an_engine_that_executes_a_run_of_another_is_told_again(run: Run, epoch: int, desired: str) -> None:
    """Its record may be older than what became of the run."""
    other = Engine.objects.create(
        id="shared-9", kind="shared", state="ready", incarnation="inc-1", host_queue="engines.x"
    )
    told_at = timezone.now() - timedelta(minutes=1)
    Run.objects.update(epoch=epoch, desired=desired, published_at=told_at)
    beats = {run.id: RunHeartbeat(epoch=1, revision=1, state="stopped", failure=None)}
    apply_report(heartbeat(other, beats))
    run.refresh_from_db()
    assert run.published_at == told_at, "it does nothing"
    beats = {run.id: RunHeartbeat(epoch=1, revision=1, state="running", failure=None)}
    apply_report(heartbeat(other, beats))
    run.refresh_from_db()
    assert run.published_at is None
    assert run.observed == "running"
    assert run.engine != other
    Run.objects.update(published_at=timezone.now())
    apply_report(heartbeat(other, beats))
    run.refresh_from_db()
    assert run.published_at is not None, "it has a while to hear of it"


def test_an_engine_that_started_later_does_not_make_a_failed_run_a_stopped_one(run: Run) -> None:
    apply_report(state_report(run, "failed", Failure(code="ENGINE_ERROR", message="It broke.")))
    assert run.engine is not None
    apply_report(heartbeat(run.engine, {run.id: RunHeartbeat(epoch=1, revision=1, state="stopped")}))
    run.refresh_from_db()
    assert run.observed == Observed.FAILED
    assert run.failure is not None
    assert run.failure["message"] == "It broke."


def test_a_run_whose_engine_knows_only_an_older_epoch_is_published_again(run: Run) -> None:
    assert run.engine is not None
    Run.objects.filter(pk=run.pk).update(epoch=2, applied_epoch=2)
    apply_report(heartbeat(run.engine, {run.id: RunHeartbeat(epoch=1, revision=1, state="stopped")}))
    run.refresh_from_db()
    assert (run.observed, run.applied_epoch) == (Observed.RUNNING, 1)


def test_a_heartbeat_makes_an_engine_ready_and_echoes_runs(run: Run) -> None:
    engine = Engine.objects.get()
    Engine.objects.update(state="starting")
    apply_report(heartbeat(engine, {run.id: RunHeartbeat(epoch=1, revision=1, state="replaying")}))
    engine.refresh_from_db()
    run.refresh_from_db()
    assert (engine.state, engine.ready, engine.slots_used) == ("ready", True, 3)
    assert run.observed == "replaying"


def test_a_heartbeat_of_an_old_incarnation_says_nothing(run: Run) -> None:
    engine = Engine.objects.get()
    apply_report(heartbeat(engine, incarnation="old"))
    engine.refresh_from_db()
    assert engine.last_seen_at is None


def test_a_run_that_a_heartbeat_leaves_out_is_not_applied(run: Run) -> None:
    apply_report(heartbeat(Engine.objects.get()))
    run.refresh_from_db()
    assert (run.applied_epoch, run.applied_revision) == (0, 0)


def test_reports_of_unknown_runs_and_engines_do_no_harm(run: Run) -> None:
    apply_report(state_report(run, "failed").model_copy(update={"run_id": "nobody.1"}))
    apply_report(heartbeat(Engine(id="nobody"), {"x": RunHeartbeat(epoch=1, revision=1, state="running")}))


@pytest.mark.parametrize("state", ["lost", "failed", "stopped"])
def test_a_late_heartbeat_of_a_dead_engine_changes_nothing(run: Run, state: str) -> None:
    engine = Engine.objects.get()
    Engine.objects.update(state=state, ready=False, handle=None, last_seen_at=None)
    Run.objects.update(applied_epoch=0, applied_revision=0)
    beat = RunHeartbeat(epoch=1, revision=1, state="running")
    apply_report(heartbeat(engine, {run.id: beat}))
    engine.refresh_from_db()
    run.refresh_from_db()
    assert (engine.state, engine.ready, engine.handle, engine.last_seen_at) == (state, False, None, None)
    assert (run.applied_epoch, run.last_seen_at) == (0, None)


def test_a_death_that_is_noted_while_a_heartbeat_is_applied_stays(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.objects.get()
    Engine.objects.update(ready=True)

    def noted_meanwhile(at_us: int) -> datetime:
        Engine.objects.update(state="lost", ready=False, handle=None)
        return timezone.now()

    monkeypatch.setattr("weir.runs.services.heartbeats.moment", noted_meanwhile)
    apply_report(heartbeat(engine))
    engine.refresh_from_db()
    assert (engine.state, engine.ready, engine.handle) == ("lost", False, None)


def test_an_engine_that_is_stopping_is_not_ready_whatever_it_says(run: Run) -> None:
    Engine.objects.update(state="stopping", ready=False)
    apply_report(heartbeat(Engine.objects.get()))
    engine = Engine.objects.get()
    assert (engine.state, engine.ready) == ("stopping", False)
    assert engine.last_seen_at is not None
