"""A run for which no engine has room, and no host memory for another, waits and says so."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.run_factories import DOCUMENT, job_of, running, state_report
from weir.live.lookups import view_of
from weir.live.run_registry import RunRegistry
from weir.runs.models import Engine, EngineHost, Execution, Generation, Job, Run, reports_read_until
from weir.runs.services.engine_hosts import note_host
from weir.runs.services.engine_memory import GIB
from weir.runs.services.epochs import restart
from weir.runs.services.isolation import advance_isolation
from weir.runs.services.placement import NoEngineRoomError, place
from weir.runs.services.queries import job_summaries
from weir.runs.services.reconciler import _settle_orphans
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.standby import ensure_standby
from weir.runs.services.stop import stop_job
from weir.runs.services.unplaced import place_waiting
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
SLOTS = 16  # of which twelve are given to runs
Heartbeat = Callable[..., None]


@pytest.fixture
def job(owner: User, workspace: Workspace, started: list[ProcessHandle], settings: Settings) -> Job:
    assert started == []
    settings.ENGINE_SLOTS, settings.ENGINE_MEMORY_MB = SLOTS, 1024
    return job_of(workspace, owner)


def another(job: Job, name: str = "other") -> Job:
    owner = User.objects.get()
    return job_of(job.workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}"))


def host(memory_gib: float, used: float = 0.5, own: float = 0.2) -> None:
    """This host, of four cores, on which shared-1 serves and has taken all its memory."""
    EngineHost.objects.update_or_create(
        queue="engines.here",
        defaults={"heard_at": timezone.now(), "cores": 4, "memory_available": int(memory_gib * GIB)},
    )
    Engine.objects.filter(pk="shared-1").update(
        state="ready",
        ready=True,
        host_cpu_cores=used,
        cpu_cores=own,
        host_cores=4,
        memory_bytes=2 * GIB,
        last_seen_at=timezone.now(),
    )


def fill(job: Job) -> Run:
    """A run that takes all slots of shared-1."""
    run = running(job)
    Run.objects.filter(pk=run.pk).update(slots=12)
    return run


def test_a_host_tells_how_much_memory_is_free(settings: Settings) -> None:
    settings.HOST_QUEUE = "engines.here"
    note_host()
    assert (EngineHost.objects.get().memory_available or 0) > 0


@pytest.mark.parametrize(
    ("memory_gib", "used", "own", "message"),
    [
        (1.0, 0.5, 0.2, "Another engine needs 1.7 GiB of memory, and the host has 1.0 GiB for it."),
        (8.0, 3.9, 3.0, "All engines are full, and engines use 3.0 of 4 cores of the host."),
        (8.0, 3.9, 1.0, None),  # others fill it: engines may count on half
        (1.8, 0.5, 0.2, None),
    ],
)
def test_another_engine_is_started_only_where_it_fits(
    job: Job, memory_gib: float, used: float, own: float, message: str | None
) -> None:
    fill(job)
    host(memory_gib, used, own)
    if message is None:
        assert place(another(job), "shared", 3).id == "shared-2"
        return
    with pytest.raises(NoEngineRoomError) as refusal:
        place(another(job), "shared", 3)
    assert refusal.value.reason.code == "NO_ENGINE_ROOM"
    assert refusal.value.reason.message.startswith(message)


def test_an_engine_that_has_only_begun_has_its_memory_already(job: Job) -> None:
    fill(job)
    host(3.0)
    assert place(another(job), "shared", 3).id == "shared-2"
    Run.objects.create(
        id="b.1", generation=_generation(job), engine_id="shared-2", version=1, mode="realtime", slots=12
    )
    with pytest.raises(NoEngineRoomError):
        place(another(job, "third"), "shared", 3)


def test_the_first_engine_is_tried_however_little_memory_there_is(job: Job) -> None:
    host(0.1)
    assert place(job, "shared", 3).id == "shared-1"


@pytest.mark.parametrize("tried_again", [False, True])
def test_a_run_that_has_failed_for_good_keeps_no_slots(job: Job, tried_again: bool) -> None:
    run = fill(job)
    host(1.0)
    retry_at = timezone.now() + timedelta(seconds=30) if tried_again else None
    Run.objects.filter(pk=run.pk).update(observed="failed", retry_at=retry_at)
    if tried_again:
        with pytest.raises(NoEngineRoomError):
            place(another(job), "shared", 3)
    else:
        assert place(another(job), "shared", 3).id == "shared-1"


def test_a_dedicated_engine_waits_for_memory_too(job: Job) -> None:
    fill(job)
    host(1.0)
    with pytest.raises(NoEngineRoomError):
        place(another(job), "dedicated", 3)


def _generation(job: Job) -> object:
    run = Run.objects.get()
    generation = run.generation
    generation.pk, generation.number = None, 2
    generation.save()
    return generation


def waiting(job: Job) -> Run:
    """A run that was stopped, and is started while there is no room."""
    other = another(job)
    run = running(other)
    apply_report(state_report(run, "stopped"))
    Run.objects.filter(pk=run.pk).update(slots=3, desired="stopped", observed="stopped")
    fill(job)
    host(1.0)
    run.refresh_from_db()
    restart(run, run.engine)
    apply_report(state_report(run, "running"))
    run.refresh_from_db()
    run.generation.job.refresh_from_db()
    restart(run, run.engine)  # and again, with a new version
    apply_report(state_report(run, "stopped"))
    run.refresh_from_db()
    return run


def test_it_waits_as_queued_with_its_reason_and_starts_when_there_is_room(job: Job) -> None:
    run = waiting(job)
    assert run.failure is not None
    assert (run.observed, run.engine, run.failure["code"]) == ("queued", None, "NO_ENGINE_ROOM")
    place_waiting(timezone.now())
    run.refresh_from_db()
    later = timezone.now() + timedelta(minutes=5)
    assert run.shown_state(reports_read_until(), later) == "queued", (
        "however long a look takes on a full host"
    )
    registry = RunRegistry(lambda _: None)
    registry.learn(view_of(run, run.generation))
    view = registry.of_job(run.generation.job_id)
    assert view is not None
    assert registry.shown_state(view, 10**18) == "queued"
    summary = next(row for row in job_summaries([run.generation.job]))
    assert (summary["observed"], summary["engine"]) == ("queued", None)
    host(4.0)
    place_waiting(timezone.now())
    run.refresh_from_db()
    assert (run.observed, run.engine_id, run.failure, run.published_at) == (
        "starting",
        "shared-2",
        None,
        None,
    )
    assert Execution.objects.get(run=run, epoch=run.epoch).engine_id == "shared-2"


def queued(job: Job, name: str, slots: int) -> Run:
    """A run that no engine has."""
    run = running(another(job, name))
    Run.objects.filter(pk=run.pk).update(slots=slots, observed="queued", engine=None, failure=None)
    return run


def test_a_look_at_many_that_need_the_same_costs_what_one_costs(
    job: Job, django_assert_max_num_queries: Any
) -> None:
    first, *others = [queued(job, f"other-{number}", 3 + number % 2) for number in range(13)]
    waiting = Run.objects.filter(pk__in=[run.pk for run in others])
    waiting.update(desired="stopped")
    fill(job)
    host(1.0)
    with CaptureQueriesContext(connection) as alone:
        place_waiting(timezone.now())
    waiting.update(desired="running")
    with django_assert_max_num_queries(len(alone) + 1):  # what the others say is one statement
        place_waiting(timezone.now())
    for run in (first, *others):
        run.refresh_from_db()
        assert run.failure is not None
        assert (run.observed, run.failure["code"]) == ("queued", "NO_ENGINE_ROOM")


def test_one_that_needs_less_than_those_before_it_is_placed(job: Job) -> None:
    large, small, large_too = queued(job, "large", 5), queued(job, "small", 2), queued(job, "too", 4)
    run = fill(job)
    Run.objects.filter(pk=run.pk).update(slots=9)
    host(1.0)
    place_waiting(timezone.now())
    for each in (large, small, large_too):
        each.refresh_from_db()
    assert [each.observed for each in (large, small, large_too)] == ["queued", "starting", "queued"]
    assert small.engine_id == "shared-1"
    assert large_too.failure is not None


def test_one_that_is_stopped_meanwhile_is_stopped(job: Job) -> None:
    run = waiting(job)
    stop_job(run.generation.job, None)
    host(4.0)
    _settle_orphans()
    place_waiting(timezone.now())
    run.refresh_from_db()
    assert (run.observed, run.engine) == ("stopped", None)


def test_a_standby_is_made_only_where_memory_allows(job: Job, settings: Settings) -> None:
    settings.STANDBY = True
    running(job)
    host(1.0)
    ensure_standby()
    assert Engine.objects.filter(standby=True).count() == 0
    host(4.0)
    ensure_standby()
    assert Engine.objects.get(standby=True).id == "shared-2"


def test_a_run_that_no_engine_can_have_any_more_fails_and_keeps_no_other_waiting(job: Job) -> None:
    large, small = running(job, state="queued"), running(another(job), state="queued")
    hour = timedelta(hours=1)
    Run.objects.filter(pk=large.pk).update(engine=None, slots=50, observed_since=timezone.now() - hour)
    Run.objects.filter(pk=small.pk).update(engine=None)
    place_waiting(timezone.now())
    large.refresh_from_db()
    small.refresh_from_db()
    assert (large.observed, large.failure["code"], large.failure["permanent"]) == (
        "failed",
        "OUT_OF_SLOTS",
        True,
    )
    assert (small.observed, small.engine_id) == ("starting", "shared-1")


def test_the_end_of_an_epoch_is_applied_though_no_engine_can_have_the_next(job: Job) -> None:
    run = running(job)
    Run.objects.filter(pk=run.pk).update(slots=50, awaiting_stop=True)
    apply_report(state_report(run, "stopped"))
    run.refresh_from_db()
    assert (run.epoch, run.observed, run.failure["code"]) == (2, "failed", "OUT_OF_SLOTS")
    assert Execution.objects.filter(run=run, ended_at__isnull=True).count() == 0


def test_what_waits_for_an_engine_is_not_published_again_and_again(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("weir.runs.services.isolation.enqueue", lambda _, run_id: asked.append(run_id))
    run = waiting(job)
    Generation.objects.update(topics_ready=True)
    Run.objects.filter(pk=run.pk).update(published_at=None)
    advance_isolation(timezone.now())
    assert asked == [run.pk]
    Generation.objects.update(topics_ready=False)  # its start has not made them yet
    advance_isolation(timezone.now())
    assert asked == [run.pk]


def ended(engine_id: str) -> None:
    """A shared engine of this host that nothing needed any more."""
    Engine.objects.create(
        id=engine_id, kind="shared", host_queue="engines.here", slots=SLOTS, should_run=False
    )


def test_a_shared_engine_that_has_ended_is_started_only_where_it_fits(job: Job) -> None:
    fill(job)
    host(1.0)
    ended("shared-2")
    other = another(job)
    with pytest.raises(NoEngineRoomError):
        place(other, "shared", 3)
    host(1.8)
    assert place(other, "shared", 3).id == "shared-2"


def test_one_that_runs_is_used_before_one_that_has_ended(job: Job) -> None:
    fill(job)
    Engine.objects.create(
        id="shared-2", kind="shared", host_queue="engines.here", slots=SLOTS, state="ready", ready=True,
        should_run=True,
    )  # fmt: skip
    Run.objects.update(slots=3, engine="shared-2")
    Engine.objects.filter(pk="shared-1").update(state="stopped", should_run=False)
    assert place(another(job), "shared", 3).id == "shared-2"


def test_a_standby_that_has_ended_is_started_only_where_it_fits(job: Job, settings: Settings) -> None:
    settings.STANDBY = True
    fill(job)
    host(1.0)
    EngineHost.objects.create(
        queue="engines.there", heard_at=timezone.now(), cores=4, memory_available=8 * GIB
    )
    ended("shared-2")
    ensure_standby()
    standby = Engine.objects.get(standby=True)
    assert (standby.id, standby.host_queue) == ("shared-3", "engines.there")
