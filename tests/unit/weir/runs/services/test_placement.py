"""A job with an engine of its own gets a ready standby, where there is one, instead of a cold start."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.engine_crashes import crash
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Desired, Engine, Job, Observed, Run
from weir.runs.services.needed_engines import retire_idle_engines
from weir.runs.services.placement import dedicated_engine_id, place
from weir.runs.services.standby import ensure_standby
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]

MakeJob = Callable[[str], Job]


@pytest.fixture(autouse=True)
def _standby(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.STANDBY = True
    monkeypatch.setattr("weir.runs.services.run_publisher.publish", lambda _topic, _values: None)


@pytest.fixture
def make(owner: User, workspace: Workspace, started: list[ProcessHandle]) -> MakeJob:
    """Makes a job of this name; a shared engine with a run and a standby are ready."""
    running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: shared")))
    want_ready_standby()
    assert started == []
    return lambda name: job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}"))


def want_ready_standby() -> Engine:
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True, incarnation="inc-2")
    return Engine.objects.get(standby=True)


def stop(run: Run) -> None:
    """It has been stopped, and its engine, whose idleness was noticed, has ended."""
    Run.objects.filter(pk=run.pk).update(desired=Desired.STOPPED, observed=Observed.STOPPED)
    retire_idle_engines(timezone.now())
    Engine.objects.filter(pk=run.engine_id).update(state="stopped", ready=False)
    retire_idle_engines(timezone.now())


def test_the_standby_becomes_the_jobs_own_engine_and_nobody_elses(make: MakeJob) -> None:
    first, second = make("first"), make("second")
    run = running(first, "dedicated")
    engine = Engine.objects.get(pk=run.engine_id)
    assert (engine.id, engine.kind, engine.standby, engine.state) == ("shared-2", "dedicated", False, "ready")
    assert place(first, "dedicated", 3) == engine, "it has one already"
    assert place(second, "dedicated", 3).id == dedicated_engine_id(second), "no standby is left"
    assert place(make("third"), "shared", 3).id == "shared-1"
    assert want_ready_standby().id == "shared-3"


def test_when_its_job_has_stopped_it_is_a_shared_one_again_and_the_next_standby(make: MakeJob) -> None:
    job = make("own")
    run = running(job, "dedicated")
    stop(run)
    engine = Engine.objects.get(pk="shared-2")
    assert (engine.kind, engine.state, engine.should_run, engine.standby) == (
        "shared",
        "stopped",
        False,
        False,
    )
    assert want_ready_standby() == engine
    assert engine_ids() == {"shared-1", "shared-2"}
    assert place(job, "dedicated", 3) == engine


@pytest.mark.parametrize("tried_again", [False, True])
def test_an_engine_of_the_jobs_own_ends_when_its_run_has_failed_for_good(
    make: MakeJob, tried_again: bool
) -> None:
    run = running(make("own"), "dedicated")
    retry_at = timezone.now() if tried_again else None
    Run.objects.filter(pk=run.pk).update(observed=Observed.FAILED, retry_at=retry_at)
    retire_idle_engines(timezone.now())
    assert Engine.objects.get(pk="shared-2").should_run == tried_again
    Engine.objects.filter(pk="shared-2").update(state="stopped", ready=False)
    retire_idle_engines(timezone.now())
    assert Engine.objects.get(pk="shared-2").kind == ("dedicated" if tried_again else "shared")
    if not tried_again:
        assert want_ready_standby().id == "shared-2"


def test_an_engine_that_has_failed_with_its_run_stays_so(make: MakeJob) -> None:
    run = running(make("own"), "dedicated")
    Run.objects.filter(pk=run.pk).update(observed=Observed.FAILED)
    Engine.objects.filter(pk="shared-2").update(state="failed", ready=False)
    retire_idle_engines(timezone.now())
    engine = Engine.objects.get(pk="shared-2")
    assert (engine.state, engine.kind, engine.should_run) == ("failed", "dedicated", True)


def test_a_standby_is_handed_out_though_a_run_failed_there_for_good(make: MakeJob) -> None:
    run = running(make("failed"))
    Run.objects.filter(pk=run.pk).update(engine_id="shared-2", observed=Observed.FAILED)
    assert place(make("own"), "dedicated", 3).id == "shared-2"


def engine_ids() -> set[str]:
    return set(Engine.objects.values_list("id", flat=True))


def test_a_job_that_has_crashed_its_engine_does_not_get_it(make: MakeJob) -> None:
    job = make("crashes")
    Job.objects.filter(pk=job.pk).update(shareable=False)
    job.refresh_from_db()
    for kind in ("shared", "dedicated"):
        assert place(job, kind, 3).id == dedicated_engine_id(job)
    assert Engine.objects.get(standby=True).id == "shared-2"


def test_its_log_may_tell_of_others_so_a_failure_leaves_it_out(make: MakeJob) -> None:
    run = running(make("own"), "dedicated")
    crash("shared-2")
    engine = Engine.objects.get(pk="shared-2")
    assert engine.failure is not None
    assert (engine.kind, engine.failure["raw"]) == ("dedicated", "")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-2", 2), "it is started again for its job"


def test_an_engine_of_the_jobs_own_that_runs_stays(make: MakeJob) -> None:
    job = make("own")
    Engine.objects.create(
        id=dedicated_engine_id(job), kind="dedicated", state="ready", host_queue="q", slots=8
    )
    assert place(job, "dedicated", 3).id == dedicated_engine_id(job)
    assert Engine.objects.get(standby=True).id == "shared-2"
