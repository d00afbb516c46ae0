"""Which of its runs ends a shared engine is found out by halves, while the others go on."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from jobs.kafka_messages import Failure, ProcessHandle
from tests.support.engine_crashes import crash, end
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Engine, EngineHost, Execution, Run
from weir.runs.services import isolation
from weir.runs.services.engine_ends import note_host_ended
from weir.runs.services.epochs import begin_epoch, restart
from weir.runs.services.isolation import advance_isolation
from weir.runs.services.placement import ISOLATION_ENGINE, WARM_ENGINE, place
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.states import note_state
from weir.runs.services.stop import stop_job
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture(autouse=True)
def no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command is sent: without a queue each would try to reach one, with pauses."""
    monkeypatch.setattr(isolation, "enqueue", lambda *_, **__: None)


def runs_of(owner: User, workspace: Workspace, count: int) -> list[Run]:
    """Runs of the warm engine, the oldest first, all begun within the last minutes."""
    documents = [DOCUMENT.replace("name: stats", f"name: job-{number}") for number in range(count)]
    runs = [running(job_of(workspace, owner, document)) for document in documents]
    began(runs, timezone.now() - timedelta(minutes=5))
    return runs


def began(runs: list[Run], at: datetime) -> None:
    """The first epochs began then, one a second."""
    for number, run in enumerate(runs):
        Execution.objects.filter(run=run, epoch=1).update(started_at=at + timedelta(seconds=number))


def later(seconds: int) -> None:
    advance_isolation(timezone.now() + timedelta(seconds=seconds))


def isolated(runs: list[Run]) -> list[str]:
    """The stage of each run."""
    found = dict(Run.objects.values_list("id", "isolation"))
    return [found[run.id] for run in runs]


def now(run: Run) -> Run:
    return Run.objects.select_related("engine", "generation__job__workspace").get(pk=run.pk)


def all_run(runs: list[Run]) -> None:
    """Those that are tried report that they run."""
    for run in runs:
        if now(run).isolation == "active":
            note_state(now(run), "running")


def test_the_first_crash_puts_nobody_on_trial(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 2)
    crash(WARM_ENGINE)
    assert [(now(run).isolation, now(run).epoch, now(run).engine_id) for run in runs] == [
        ("", 2, WARM_ENGINE)
    ] * 2


@pytest.mark.parametrize(
    ("memory_kills", "expected"), [(2, [""] * 2), (3, ["", "queued"])], ids=["twice", "three times"]
)
def test_of_an_engine_that_the_kernel_ended_nobody_is_tried_at_once(
    owner: User,
    workspace: Workspace,
    started: list[ProcessHandle],
    memory_kills: int,
    expected: list[str],
) -> None:
    runs = runs_of(owner, workspace, 2)
    for _ in range(memory_kills):
        end(WARM_ENGINE, memory_kill=True)
    assert isolated(runs) == expected


def test_an_engine_that_is_killed_from_outside_costs_nobody_anything(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 2)
    for _ in range(20):
        end(WARM_ENGINE)
    engine = Engine.objects.get(pk=WARM_ENGINE)
    assert (engine.crashes, isolated(runs), now(runs[0]).epoch) == ([], ["", ""], 21)
    assert engine.failure is not None
    assert engine.failure["message"] == "The engine's process was ended from outside."


def test_a_trace_of_an_earlier_process_is_none_of_this_one(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weir.runs.services.run_publisher.publish", lambda *_: None)
    runs_of(owner, workspace, 1)
    crash(WARM_ENGINE)  # and it is started again
    assert len(started) == 1
    end(WARM_ENGINE)
    assert len(Engine.objects.get(pk=WARM_ENGINE).crashes) == 1


def test_after_the_second_crash_the_newest_half_is_tried_and_the_others_go_on_at_once(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 4)
    crash(WARM_ENGINE, 2)
    assert isolated(runs) == ["", "", "queued", "queued"]
    assert [(now(run).observed, now(run).epoch) for run in runs[:2]] == [("starting", 3)] * 2
    tried = now(runs[3])
    assert (tried.observed, tried.engine, desired_run(tried).engine_id) == ("failed", None, "")
    assert (
        "newest jobs restart in groups to find the cause, which takes 3 minutes at most"
        in ((tried.failure or {})["message"])
    )


def test_a_run_that_has_run_for_long_is_not_tried_beside_a_newcomer(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 5)
    began(runs, timezone.now() - timedelta(hours=2))
    began(runs[1:2], timezone.now() - timedelta(minutes=1))
    crash(WARM_ENGINE, 2)
    assert isolated(runs) == ["", "queued", "", "", ""]
    crash(WARM_ENGINE)  # so it was none of those that are tried
    assert isolated(runs) == ["", "queued", "", "queued", "queued"]


def play(runs: list[Run], culprit: int) -> tuple[int, set[int]]:
    """Crash the isolation engine whenever the culprit runs on it, until that is blamed.

    Returns:
        Number of rounds, and the numbers of the runs that were ever tried.
    """
    tried, clock = set[int](), 0
    for rounds in range(1, 20):
        later(clock)
        active = [number for number, run in enumerate(runs) if now(run).isolation == "active"]
        tried |= set(active)
        assert {now(runs[number]).engine_id for number in active} == {ISOLATION_ENGINE}
        all_run(runs)
        if culprit in active:
            crash(ISOLATION_ENGINE)
        else:
            clock += 61
            later(clock)
            for number in active:
                note_state(now(runs[number]), "stopped")
        if now(runs[culprit]).isolation == "" and now(runs[culprit]).observed == "failed":
            return rounds, tried
    raise AssertionError("the culprit is not found")


@pytest.mark.thorough
@pytest.mark.parametrize("culprit", [15, 20, 27, 29])
def test_among_thirty_it_is_found_in_five_rounds_and_never_shared_again(
    owner: User, workspace: Workspace, started: list[ProcessHandle], culprit: int
) -> None:
    runs = runs_of(owner, workspace, 30)
    Run.objects.update(slots=1)
    crash(WARM_ENGINE, 2)
    assert isolated(runs).count("queued") == 15
    rounds, _ = play(runs, culprit)
    assert rounds <= 5
    job = now(runs[culprit]).generation.job
    assert place(job, "shared", 1).kind == "dedicated"
    assert "crashes its engine" in (now(runs[culprit]).failure or {})["message"]
    assert Execution.objects.filter(run=runs[culprit], ended_at__isnull=True).count() == 0
    others = [run for number, run in enumerate(runs) if number != culprit]
    assert isolated(others) == [""] * 29, "nobody waits any more"
    assert {now(run).engine_id for run in others} == {WARM_ENGINE}


def test_one_among_the_old_is_found_by_the_next_crash_and_the_budget_is_not_spent_meanwhile(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 16)
    Run.objects.update(slots=1)
    crash(WARM_ENGINE, 2)
    crashes = 2
    while now(runs[0]).isolation == "":
        crash(WARM_ENGINE)
        crashes += 1
    assert crashes == 6
    assert Engine.objects.get(pk=WARM_ENGINE).state != "failed"
    play(runs, 0)
    assert isolated(runs) == [""] * 16


def test_when_the_isolation_engine_is_killed_its_group_is_tried_again(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 1)
    crash(WARM_ENGINE, 2)
    later(0)
    all_run(runs)
    end(ISOLATION_ENGINE)
    assert (isolated(runs), now(runs[0]).observed, now(runs[0]).engine_id) == (
        ["active"], "starting", ISOLATION_ENGINE,
    )  # fmt: skip


def test_how_long_a_run_is_tried_follows_from_how_long_its_engine_lasted(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    (run,) = runs_of(owner, workspace, 1)
    crash(WARM_ENGINE, 2)  # the second, at once after its start
    later(0)
    note_state(now(run), "running")
    later(5)
    assert isolated([run]) == ["active"]
    later(30)
    assert (isolated([run]), now(run).awaiting_stop, desired_run(now(run)).state) == ([""], True, "stopped")
    crash(ISOLATION_ENGINE)
    assert (now(run).engine_id, now(run).observed) == (WARM_ENGINE, "starting"), "it had proven itself"


def test_the_next_group_waits_until_the_isolation_engine_is_free(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 4)
    crash(WARM_ENGINE, 2)
    later(0)
    assert isolated(runs) == ["", "", "queued", "active"]
    all_run(runs)
    later(61)
    later(62)
    assert isolated(runs) == ["", "", "queued", ""]
    note_state(now(runs[3]), "stopped")
    assert (now(runs[3]).engine_id, now(runs[3]).observed) == (WARM_ENGINE, "starting")
    later(63)
    assert isolated(runs) == ["", "", "active", ""]


@pytest.mark.parametrize("state", ["waiting", "queued", "replaying"])
def test_a_run_that_proves_nothing_keeps_the_next_group_waiting_no_longer_than_a_trial_may_take(
    owner: User, workspace: Workspace, started: list[ProcessHandle], state: str
) -> None:
    runs = runs_of(owner, workspace, 4)
    crash(WARM_ENGINE, 2)
    later(0)
    note_state(now(runs[3]), state)
    later(60)
    assert isolated(runs) == ["", "", "queued", "active"]
    later(100)
    assert (isolated(runs), now(runs[3]).awaiting_stop) == (["", "", "queued", ""], True)
    later(101)
    assert isolated(runs) == ["", "", "queued", ""], "it is not tried again while it stops"
    note_state(now(runs[3]), "stopped")
    assert (now(runs[3]).engine_id, now(runs[3]).observed) == (WARM_ENGINE, "starting")
    later(102)
    assert isolated(runs) == ["", "", "active", ""]


def test_a_run_that_is_tried_again_and_again_keeps_nobody_waiting_either(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    gone = Failure(code="CHECKPOINT_MISSING", message="It is gone.", permanent=False)
    runs = runs_of(owner, workspace, 4)
    crash(WARM_ENGINE, 2)
    later(0)
    for _ in range(3):  # each retry begins an epoch
        note_state(
            now(runs[3]), "failed", Failure(code="CHECKPOINT_MISSING", message="Gone.", permanent=False)
        )
        assert now(runs[3]).retry_at is not None
        begin_epoch(now(runs[3]), Engine.objects.get(pk=ISOLATION_ENGINE))
        later(1)
        assert isolated(runs) == ["", "", "queued", "active"]
    Execution.objects.filter(run=runs[3], epoch=3).update(started_at=timezone.now() - timedelta(seconds=81))
    later(0)
    assert isolated(runs) == ["", "", "queued", "active"], "its engine is only starting"
    note_state(now(runs[3]), "failed", gone)
    later(0)
    assert isolated(runs) == ["", "", "active", ""]
    assert (now(runs[3]).engine_id, now(runs[3]).observed) == (WARM_ENGINE, "starting")


def test_a_trial_begins_anew_when_its_engine_was_killed(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 1)
    crash(WARM_ENGINE, 2)
    later(0)
    Execution.objects.filter(run=runs[0], epoch=3).update(started_at=timezone.now() - timedelta(hours=1))
    end(ISOLATION_ENGINE)
    note_state(now(runs[0]), "waiting")
    later(60)
    assert isolated(runs) == ["active"]
    later(81)
    assert isolated(runs) == [""]


def test_a_trial_on_a_host_that_is_silent_keeps_nobody_waiting(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 4)
    crash(WARM_ENGINE, 2)
    later(0)
    all_run(runs)
    later(1)
    assert isolated(runs) == ["", "", "queued", "active"]
    Engine.objects.filter(pk=ISOLATION_ENGINE).update(host_queue="engines.gone", state="ready", ready=True)
    EngineHost.objects.create(queue="engines.gone", cores=4, heard_at=timezone.now() - timedelta(minutes=2))
    later(2)
    assert isolated(runs) == ["", "", "active", "active"]
    assert now(runs[2]).engine_id == "isolation-2"


def test_the_queue_goes_on_when_the_isolation_engine_is_stopped_under_a_run(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 3)
    crash(WARM_ENGINE, 2)
    later(0)
    one = runs[2]
    note_state(now(one), "stopped")  # with its engine, which was idle a moment ago
    later(1)
    Engine.objects.filter(pk=ISOLATION_ENGINE).update(state="ready")
    note_host_ended(publish=False)
    assert (now(one).engine_id, now(one).observed) == (ISOLATION_ENGINE, "starting")
    note_state(now(one), "running")
    later(90)
    note_state(now(one), "stopped")
    assert (now(one).engine_id, now(one).isolation) == (WARM_ENGINE, "")
    later(91)
    assert isolated(runs) == ["", "active", ""]


def test_a_run_that_stays_on_the_isolation_engine_is_tried_and_goes_back(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    runs = runs_of(owner, workspace, 1)
    crash(WARM_ENGINE, 2)
    later(0)
    all_run(runs)
    Run.objects.update(isolation="")
    later(90)
    assert now(runs[0]).awaiting_stop


def test_whoever_starts_the_job_again_ends_its_trial(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    (run,) = runs_of(owner, workspace, 1)
    crash(WARM_ENGINE, 2)
    found = now(run)
    restart(found, place(found.generation.job, "shared", 1))
    assert (now(run).isolation, now(run).engine_id, now(run).observed) == ("", WARM_ENGINE, "starting")


def test_a_run_that_is_stopped_while_its_trial_begins_is_not_started(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = runs_of(owner, workspace, 2)
    crash(WARM_ENGINE, 2)
    assert isolated(runs) == ["", "queued"]
    make = isolation.isolation_engine

    def stop_first() -> Engine:
        stop_job(now(runs[1]).generation.job, owner)
        return make()

    monkeypatch.setattr(isolation, "isolation_engine", stop_first)
    later(0)
    stopped = now(runs[1])
    assert (stopped.desired, stopped.observed, stopped.engine, stopped.epoch) == (
        "stopped",
        "failed",
        None,
        2,
    )


def test_a_run_that_is_stopped_as_it_has_proven_itself_stays_stopped(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = runs_of(owner, workspace, 1)
    crash(WARM_ENGINE, 2)
    later(0)
    all_run([run])
    measure = isolation._proofs

    def stop_first(runs: Sequence[Run]) -> dict[str, timedelta]:
        stop_job(now(run).generation.job, owner)
        return measure(runs)

    monkeypatch.setattr(isolation, "_proofs", stop_first)
    before = now(run).revision
    later(90)
    assert (now(run).desired, now(run).awaiting_stop, now(run).revision) == ("stopped", False, before + 1)
