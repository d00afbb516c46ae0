"""A start asks the broker for seconds, and what happens to the job meanwhile is looked at again before it
changes anything.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.engine_crashes import crash
from tests.support.quiet_topics import quiet_topics
from tests.support.run_factories import DOCUMENT, HANDLE, job_of, running, state_report
from tests.support.users import client_of
from weir.relay import reports
from weir.runs.models import Desired, Engine, Generation, Job, Observed, Run
from weir.runs.services import (
    deletion,
    engine_ends,
    processes,
    reconciler,
    report_handlers,
    run_publisher,
    start,
)
from weir.runs.services.deletion import delete_job, finish_deletion
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.handover import hand_over
from weir.runs.services.job_lock import JobChangedError
from weir.runs.services.placement import WARM_ENGINE, place
from weir.runs.services.standby import ensure_standby
from weir.runs.services.start import Origin, start_job
from weir.runs.services.stop import stop_job
from weir.runs.services.versions import add_version
from weir.runs.task_queue import RECONCILE_ENGINE
from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]
JOBS = "/api/v1/workspaces/ops/jobs"
DEDICATED = DOCUMENT + "settings: {engine: dedicated}\n"
Meanwhile = list[Callable[[], object]]


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """What happens, once each, while a start asks the broker."""
    found: Meanwhile = []

    def ask(streams: list[Any]) -> list[Any]:
        while found:
            found.pop()()
        return streams

    monkeypatch.setattr(start, "confirm_topics", ask)
    quiet_topics(monkeypatch)
    return found


@pytest.fixture
def both_at_once(meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two starts have both read the job before one of them writes."""
    assert meanwhile == []
    barrier = threading.Barrier(2, timeout=30)

    def ask(streams: list[Any]) -> list[Any]:
        barrier.wait()
        return streams

    monkeypatch.setattr(start, "confirm_topics", ask)


def reread(job: Job) -> Job:
    return Job.objects.select_related("workspace").get(pk=job.pk)


def start_in_threads(job: Job, owner: User, *origins: Origin) -> list[str]:
    """Start a job by each origin at once; what each start says: the generation, or the error's code."""

    def ask(origin: Origin) -> str:
        try:
            return f"generation {start_job(reread(job), owner, origin).generation}"
        except ServiceError as error:
            return error.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(origins)) as pool:
        return list(pool.map(ask, origins))


def wanted(job: Job) -> list[int]:
    """Generations of the job that an engine is to run."""
    rows = Run.objects.filter(generation__job=job, desired=Desired.RUNNING)
    return list(rows.order_by("generation__number").values_list("generation__number", flat=True))


def ended(job: Job) -> Run:
    """A run of the job, which was stopped."""
    run = running(job)
    run.generation.sources = {"trades": {"topic_id": "id-1", "start": {"kind": "earliest"}}}
    run.generation.save()
    Run.objects.filter(pk=run.pk).update(desired=Desired.STOPPED, observed=Observed.STOPPED)
    Job.objects.filter(pk=job.pk).update(desired=Desired.STOPPED)
    job.refresh_from_db()
    return run


def runs_on(job: Job) -> Job:
    """The job, with a run that runs."""
    run = ended(job)
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING)
    Run.objects.filter(pk=run.pk).update(desired=Desired.RUNNING, observed=Observed.RUNNING)
    return reread(job)


@pytest.mark.usefixtures("meanwhile")
def test_a_start_does_not_wait_for_another_that_waits_for_its_rows(workspace: Workspace, owner: User) -> None:
    """As a relay that has placed a run, and reads on."""
    job, other = (job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: s{n}")) for n in (1, 2))
    place(other, "shared", 1)  # the engine is there

    def begin() -> str:
        try:
            return start_job(reread(job), owner, "earliest").name
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                place(other, "shared", 1)
            asked = pool.submit(begin)
            if connection.vendor == "postgresql":  # SQLite has one writer
                assert asked.result(30) == "s1"
        assert asked.result(30) == "s1"


@pytest.mark.usefixtures("both_at_once")
def test_two_jobs_that_start_at_once_do_not_get_the_same_slots(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    jobs = [job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: s{n}")) for n in (1, 2)]
    settings.ENGINE_SLOTS = 4  # of which runs hold three, as many as one of these needs

    def begin(job: Job) -> None:
        try:
            start_job(reread(job), owner, "earliest")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(begin, jobs))
    engines = [run.engine_id for run in Run.objects.all()]
    assert len(set(engines)) == 2, engines


@pytest.mark.usefixtures("both_at_once")
def test_two_first_starts_at_once_make_one_generation(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    assert start_in_threads(job, owner, "earliest", "earliest") == ["generation 1", "generation 1"]
    assert wanted(job) == [1]
    assert Generation.objects.filter(job=job).count() == 1


@pytest.mark.usefixtures("both_at_once")
def test_two_new_generations_at_once_leave_one_run(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    ended(job)
    assert start_in_threads(job, owner, "earliest", "earliest") == ["generation 2", "generation 2"]
    assert wanted(job) == [2]


@pytest.mark.usefixtures("both_at_once")
def test_a_resume_beside_a_new_generation_leaves_one_run(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    ended(job)
    assert len(set(start_in_threads(job, owner, "resume", "earliest"))) == 1
    assert wanted(job) == [reread(job).generation]


def test_a_resume_with_a_new_connection_does_not_wake_a_superseded_run(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    job = job_of(workspace, owner)
    ended(job)
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING)
    Run.objects.filter(generation__job=job).update(desired=Desired.RUNNING, observed=Observed.FAILED)
    meanwhile.append(lambda: start_job(reread(job), owner, "earliest"))
    with pytest.raises(JobChangedError):
        start_job(reread(job), None, "resume", version=1, again=True)
    assert wanted(job) == [2]


def test_a_running_job_gets_its_own_engine_when_it_has_stopped(
    meanwhile: Meanwhile, settings: Settings, owner: User, workspace: Workspace
) -> None:
    """The standby that it took before would have been idle, and retired."""
    settings.STANDBY = True
    assert meanwhile == []
    job = job_of(workspace, owner)
    run = running(job)
    ensure_standby()
    standby = Engine.objects.get(standby=True)
    Engine.objects.filter(pk=standby.pk).update(state="ready", ready=True, incarnation="inc-2")
    add_version(job, owner, DEDICATED)
    start_job(reread(job), owner, "resume")
    assert Engine.objects.filter(pk=standby.pk, standby=True, kind="shared").exists()
    run.refresh_from_db()
    reports.apply([state_report(run, "stopped")])
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.engine.pk, run.engine.kind) == (standby.pk, "dedicated")


def test_a_new_connection_does_not_start_a_job_that_was_stopped_meanwhile(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    job = job_of(workspace, owner)
    ended(job)
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING)
    Run.objects.filter(generation__job=job).update(desired=Desired.RUNNING, observed=Observed.RUNNING)
    meanwhile.append(lambda: stop_job(reread(job), owner))
    with pytest.raises(JobChangedError):
        start_job(reread(job), None, "resume", again=True)
    assert (reread(job).desired, wanted(job)) == (Desired.STOPPED, [])


def test_a_new_connection_does_not_undo_a_restart_with_a_newer_version(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    job = runs_on(job_of(workspace, owner))
    add_version(job, owner, DOCUMENT.replace("[symbol]", "[symbol] # newer"))
    meanwhile.append(lambda: start_job(reread(job), owner, "resume", version=2))
    with pytest.raises(JobChangedError):
        start_job(reread(job), None, "resume", version=1, again=True)
    assert Run.objects.get(generation__job=job).version == 2


def test_of_two_who_resume_a_job_with_different_versions_one_is_told(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    job = runs_on(job_of(workspace, owner))
    for note in ("second", "third"):
        add_version(job, owner, DOCUMENT.replace("[symbol]", f"[symbol] # {note}"))
    meanwhile.append(lambda: start_job(reread(job), owner, "resume", version=2))
    found = client_of(owner).post(f"{JOBS}/{job.id}/start", {"from": "resume", "version": 3})
    assert (found.status_code, found.json()["code"]) == (409, "JOB_CHANGED")
    assert Run.objects.get(generation__job=job).version == 2


def test_a_crash_while_a_resume_is_prepared_is_no_change_of_somebody_else(
    meanwhile: Meanwhile, owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    assert started == []
    job = runs_on(job_of(workspace, owner))
    add_version(job, owner, DOCUMENT.replace("[symbol]", "[symbol] # newer"))
    meanwhile.append(lambda: crash(WARM_ENGINE))
    start_job(reread(job), owner, "resume", version=2)
    assert Run.objects.get(generation__job=job).version == 2


@pytest.mark.parametrize("origin", ["earliest", "resume"])
def test_a_start_does_not_revive_a_job_that_is_deleted_meanwhile(
    meanwhile: Meanwhile, owner: User, workspace: Workspace, origin: str
) -> None:
    job = job_of(workspace, owner)
    ended(job)
    meanwhile.append(lambda: delete_job(reread(job), owner))
    found = client_of(owner).post(f"{JOBS}/{job.id}/start", {"from": origin})
    assert found.status_code == 404
    assert reread(job).desired == Desired.DELETED
    assert wanted(job) == []


def test_a_start_of_another_version_meanwhile_is_a_conflict(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    job = job_of(workspace, owner)
    add_version(job, owner, DOCUMENT.replace("low: min(price)", "low: max(price)"))
    meanwhile.append(lambda: start_job(reread(job), owner, "earliest", version=1))
    found = client_of(owner).post(f"{JOBS}/{job.id}/start", {"from": "earliest"})
    assert (found.status_code, found.json()["code"]) == (409, "JOB_CHANGED")
    assert wanted(job) == [1]


def test_a_new_generation_stops_every_other_run_of_the_job(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    assert meanwhile == []
    job = job_of(workspace, owner)
    superseded = ended(job)
    start_job(reread(job), owner, "earliest")
    Run.objects.filter(pk=superseded.pk).update(desired=Desired.RUNNING)  # as two starts at once left it
    stop_job(reread(job), owner)
    Run.objects.filter(pk=superseded.pk).update(desired=Desired.RUNNING)
    start_job(reread(job), owner, "earliest")
    assert wanted(job) == [3]


def test_a_new_generation_keeps_its_engine_when_the_run_that_it_replaces_has_stopped(
    meanwhile: Meanwhile, owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert meanwhile == []
    asked: list[str] = []
    monkeypatch.setattr("weir.runs.services.states.enqueue", lambda task, *_, **__: asked.append(task))
    job = job_of(workspace, owner, DEDICATED)
    replaced = running(job, "dedicated")
    add_version(job, owner, DEDICATED.replace("size: 5s", "size: 6s"))
    start_job(reread(job), owner, "earliest")
    reports.apply([state_report(replaced, "stopped")])
    assert (Engine.objects.get().should_run, RECONCILE_ENGINE in asked) == (True, False)
    newer = Run.objects.get(generation__number=2)
    assert newer.engine_id == replaced.engine_id
    stop_job(reread(job), owner)
    newer.refresh_from_db()
    reports.apply([state_report(newer, "stopped")])
    assert (Engine.objects.get().should_run, RECONCILE_ENGINE in asked) == (False, True)


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Ticks of the reconciler, beside a broker that answers and engines that nobody starts."""
    monkeypatch.setattr(reconciler, "probe_home_cluster", lambda _: True)
    for quiet in ("_republish", "advance_isolation", "publish_pending", "ask_hosts", "finish_deletions"):
        monkeypatch.setattr(reconciler, quiet, lambda *_: None)
    return reconciler.reconcile


def test_the_reconciler_stops_what_an_earlier_race_left(
    owner: User, workspace: Workspace, ticks: Callable[[], None]
) -> None:
    job = job_of(workspace, owner)
    superseded = running(job)
    newer = Generation.objects.get(job=job)
    newer.pk, newer.number = None, 2
    newer.save()
    Run.objects.create(
        id=f"{job.id}.2", generation=newer, engine=superseded.engine, version=1, mode="realtime"
    )
    Job.objects.filter(pk=job.pk).update(generation=2)
    ticks()
    assert wanted(job) == [2]
    assert Run.objects.get(pk=superseded.pk).revision == superseded.revision + 1  # engines are told
    Job.objects.filter(pk=job.pk).update(desired=Desired.STOPPED)
    ticks()
    assert wanted(job) == []


def test_a_retry_that_is_due_does_not_undo_a_stop(
    owner: User, workspace: Workspace, ticks: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(workspace, owner)
    run = running(job, state="failed")
    Run.objects.filter(pk=run.pk).update(retry_at=timezone.now() - timedelta(seconds=1))
    begin_epoch, asked = reconciler.lock_run, []

    def stop_first(run_id: str) -> Run | None:
        stop_job(reread(job), owner)
        asked.append(run_id)
        return begin_epoch(run_id)

    monkeypatch.setattr(reconciler, "lock_run", stop_first)
    ticks()
    assert (asked, wanted(job)) == ([run.pk], [])


def test_a_deletion_does_not_remove_a_run_that_an_engine_is_to_run(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(workspace, owner)
    run = ended(job)
    monkeypatch.setattr(deletion, "publish_tombstone", lambda _: None)
    monkeypatch.setattr(deletion, "delete_topics", lambda *_: None)
    monkeypatch.setattr(deletion, "_delete_mirror_groups", lambda *_: None)
    monkeypatch.setattr(deletion, "delete_checkpoint", lambda _: None)
    delete_job(reread(job), owner)
    Run.objects.filter(pk=run.pk).update(desired=Desired.RUNNING)
    assert not finish_deletion(job.id)
    assert wanted(job) == []  # asked to stop, once more
    monkeypatch.setattr(
        deletion, "delete_checkpoint", lambda _: Run.objects.filter(pk=run.pk).update(observed="running")
    )
    assert not finish_deletion(job.id)
    assert Run.objects.filter(pk=run.pk).exists()
    Run.objects.filter(pk=run.pk).update(observed=Observed.STOPPED)
    monkeypatch.setattr(deletion, "delete_checkpoint", lambda _: None)
    assert finish_deletion(job.id)
    assert not Job.objects.filter(pk=job.pk).exists()


@pytest.mark.parametrize("gone", [False, True])
def test_what_changes_a_job_says_when_it_is_deleted(owner: User, workspace: Workspace, gone: bool) -> None:
    job = job_of(workspace, owner)
    known = reread(job)
    delete_job(reread(job), owner)
    if gone:
        Job.objects.filter(pk=job.pk).delete()
    for change in (lambda: stop_job(known, owner), lambda: add_version(known, owner, DOCUMENT)):
        with pytest.raises((NotFoundError, ServiceError)) as caught:
            change()
        assert caught.value.code in ("NOT_FOUND", "VERSION_UNKNOWN")
    delete_job(known, owner)  # is no error
    assert not Job.objects.filter(name="stats").exists()  # its name stays free


def test_the_reconciler_starts_an_engine_that_was_retired_beside_a_start(
    owner: User, workspace: Workspace, ticks: Callable[[], None]
) -> None:
    run = running(job_of(workspace, owner, DEDICATED), "dedicated", "starting")
    Engine.objects.filter(pk=run.engine_id).update(should_run=False)
    ticks()
    assert Engine.objects.get(pk=run.engine_id).should_run
    Run.objects.update(desired=Desired.STOPPED, observed=Observed.STOPPED)
    Job.objects.update(desired=Desired.STOPPED)
    ticks()
    assert not Engine.objects.get(pk=run.engine_id).should_run


def test_an_end_that_is_reported_beside_a_resume_does_not_leave_the_job_stopped(
    meanwhile: Meanwhile, owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert meanwhile == []
    job = job_of(workspace, owner)
    run = ended(job)
    Run.objects.filter(pk=run.pk).update(observed=Observed.STOPPING)
    moment, resumed = report_handlers.moment, list[Future[list[str]]]()

    with ThreadPoolExecutor(1) as pool:

        def resume_first(at_us: int) -> Any:
            """The relay has read the run, and writes it once the resume is over or waits for the relay."""
            if not resumed:
                resumed.append(pool.submit(start_in_threads, job, owner, "resume"))
                wait(resumed, timeout=2)
            return moment(at_us)

        monkeypatch.setattr(report_handlers, "moment", resume_first)
        reports.apply([state_report(run, "stopped")])
        assert resumed[0].result() == ["generation 1"]
    run.refresh_from_db()
    assert (run.epoch, run.observed, run.awaiting_stop) == (2, Observed.STARTING, False)


def test_a_stop_beside_the_crash_of_an_engine_is_not_lost(
    owner: User,
    workspace: Workspace,
    started: list[ProcessHandle],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where the crash puts the run on trial, which takes it from its engine."""
    assert started == []
    jobs = [job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: job-{at}")) for at in range(2)]
    runs = [running(job) for job in jobs]
    crash(WARM_ENGINE)
    suspicious, stopped = engine_ends.most_suspicious, list[Future[Job]]()

    def stop(job: Job) -> Job:
        try:
            return stop_job(reread(job), owner)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:

        def stop_first(found: Sequence[Run]) -> list[Run]:
            """The runs have been read, and are written once the stops are over or wait for that."""
            if not stopped:
                stopped.extend(pool.submit(stop, job) for job in jobs)
                wait(stopped, timeout=2)
            return suspicious(found)

        monkeypatch.setattr(engine_ends, "most_suspicious", stop_first)
        crash(WARM_ENGINE)
        assert [each.result().desired for each in stopped] == [Desired.STOPPED] * 2
    assert list(Run.objects.filter(pk__in=[run.pk for run in runs], desired=Desired.RUNNING)) == []
    assert {run.published_at for run in Run.objects.all()} == {None}, "engines are told"


def test_two_workers_who_see_the_end_of_a_stopped_engine_begin_one_epoch(
    owner: User,
    workspace: Workspace,
    started: list[ProcessHandle],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_publisher, "publish", lambda *_: None)
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=WARM_ENGINE).update(
        state=Engine.State.STOPPING, handle=HANDLE.model_dump(), host_queue="engines.here"
    )
    asked: list[ProcessHandle] = []

    def ask(handle: ProcessHandle) -> bool:
        """The process is gone. While the first worker asks, another does all that is to be done."""
        asked.append(handle)
        if len(asked) == 1:
            reconcile_engine(WARM_ENGINE)
        return False

    monkeypatch.setattr(processes, "is_alive", ask)
    reconcile_engine(WARM_ENGINE)
    run.refresh_from_db()
    assert (len(started), run.epoch, Engine.objects.get(pk=WARM_ENGINE).state) == (1, 2, "starting")


def of_the_last(job: Job) -> set[str]:
    """Everything that only the job's present generation may have."""
    generation = Generation.objects.get(job=job, number=reread(job).generation)
    return {generation.run.id, generation.checkpoint, generation.result_topic}


def test_a_generation_after_a_restore_has_nothing_of_the_lost_one_of_its_number(
    meanwhile: Meanwhile, owner: User, workspace: Workspace
) -> None:
    assert meanwhile == []
    job = job_of(workspace, owner)
    ended(job)
    start_job(reread(job), owner, "earliest")
    lost = of_the_last(job)
    Generation.objects.get(job=job, number=2).delete()  # Kafka and the checkpoints keep what it had
    Job.objects.filter(pk=job.pk).update(generation=1)
    start_job(reread(job), owner, "earliest")
    assert reread(job).generation == 2
    assert not lost & of_the_last(job)


def test_a_start_begins_on_no_engine_that_hands_its_runs_over_since(
    meanwhile: Meanwhile, owner: User, workspace: Workspace, settings: Settings
) -> None:
    settings.STANDBY = True
    running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other")))
    Engine.objects.update(ready=True)
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True)
    job = job_of(workspace, owner)
    meanwhile.append(lambda: hand_over(WARM_ENGINE))
    start_job(reread(job), owner, "earliest")
    assert Run.objects.get(generation__job=job).engine_id == "shared-2"


def test_starts_at_once_do_not_share_the_last_free_slots(
    meanwhile: Meanwhile, owner: User, workspace: Workspace, settings: Settings
) -> None:
    settings.ENGINE_SLOTS = 4
    first, second = (job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: {n}")) for n in "ab")
    meanwhile.append(lambda: start_job(reread(second), owner, "earliest"))
    start_job(reread(first), owner, "earliest")
    runs = Run.objects.order_by("engine_id")
    assert [run.slots for run in runs] == [3, 3]
    assert [run.engine_id for run in runs] == ["shared-1", "shared-2"]
