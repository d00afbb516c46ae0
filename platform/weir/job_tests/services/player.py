"""Plays runs of tests in slices of time, each by whichever worker of the host holds its claim.

A warm engine without runs computes them, or a process of its own (`jobs.engine.play_files`): never the web
process, and no engine that runs jobs. Who plays is noted with the run, and found again after any restart of
ours; where an engine does not go on, a process plays the rest.
"""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone

from jobs.kafka_messages import ProcessHandle
from jobs.play import PlayProblem, PlayResult
from weir.job_tests.models import BEGUN, LIVE, JobTestRun
from weir.job_tests.services import play_engine, play_process
from weir.job_tests.services.outcomes import record_result
from weir.job_tests.services.play_turns import next_run, take_turn
from weir.job_tests.services.preparation import MOST_S, prepare, run_size
from weir.job_tests.services.spool import Spool
from weir.job_tests.task_names import PLAY_TESTS
from weir.runs.task_queue import enqueue

SLICE_S: Final = 3.0
PREPARE_SLICE_S: Final = 3.0
_POLL_S: Final = 0.1
_CLAIM: Final = timedelta(seconds=60)
_State = JobTestRun.State
_LOG: Final = structlog.get_logger("weir.job_tests")


def play_slice(run_id: str) -> str | None:
    """Play tests for some seconds, unless another worker does.

    Returns:
        The queue for the next slice; None: the run has ended, waits for another one, or is played elsewhere.
    """
    run = _claim(run_id)
    if run is None:
        if not JobTestRun.objects.filter(pk=run_id).exists():  # deleted with its job
            Spool(run_id).remove()  # its process ends when it can't write
        return None
    try:
        if run.cancel_requested:
            _end(run, _State.CANCELED, "")
        elif run.state == _State.QUEUED:
            if not take_turn(run):
                return None
            _prepare(run)
        elif run.state == _State.PREPARING:
            _prepare(run)
        else:
            _follow(run)
    except (OperationalError, InterfaceError):
        raise  # the database is away; the run goes on when it is there again
    except Exception as error:  # noqa: BLE001 - a run that begins again and again would hold up all others of its host
        _break_off(run, error)
    finally:
        JobTestRun.objects.filter(pk=run.pk).update(claimed_until=None)
    return run.host_queue if run.is_live else None


def _break_off(run: JobTestRun, error: Exception) -> None:
    """End a run that can't go on; one that was deleted meanwhile has only its folder left."""
    if not JobTestRun.objects.filter(pk=run.pk).exists():
        return
    _LOG.exception("tests can't be run", run=run.pk)
    message = f"Weir couldn't run these tests ({type(error).__name__}). The cause is in the worker's log."
    _end(run, _State.FAILED, message)


def unattended_runs() -> Iterator[tuple[str, str]]:
    """The runs that a worker should take up, with their queues: those that have begun or are to end and that
    no worker holds, and on every host the one whose turn comes next.
    """
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lt=timezone.now())
    goes_on = Q(state__in=BEGUN) | Q(state=_State.QUEUED, cancel_requested=True)
    rows = JobTestRun.objects.filter(free, goes_on).order_by("created_at")
    yield from rows.values_list("pk", "host_queue")[:50]
    queued = JobTestRun.objects.filter(state=_State.QUEUED).order_by()
    for queue in queued.values_list("host_queue", flat=True).distinct():
        following = next_run(queue)
        if following is not None:
            yield following, queue


def _claim(run_id: str) -> JobTestRun | None:
    now = timezone.now()
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lt=now)
    taken = JobTestRun.objects.filter(free, pk=run_id, state__in=LIVE, host_queue=settings.HOST_QUEUE).update(
        claimed_until=now + _CLAIM
    )
    if not taken:
        return None
    return JobTestRun.objects.select_related("job__workspace", "workspace").get(pk=run_id)


def _prepare(run: JobTestRun) -> None:
    """Write scripts for a slice; let somebody play them once all are there."""
    if not prepare(run, PREPARE_SLICE_S, _note_prepared):
        if run.preparing_s > MOST_S:
            message = f"Preparing the tests took longer than {MOST_S:.0f} s. Run fewer or smaller ones."
            _end(run, _State.FAILED, message)
        return
    total = len(Spool(run.pk).plays.waiting())
    if total and not play_engine.ask(run, play_process.seconds_for(total)):
        _start_process(run, total)
    # Last: where the worker dies before, another one prepares it, and does not take it for one that ended.
    run.state, run.started_at = _State.RUNNING, timezone.now()
    run.save(update_fields=["state", "started_at"])


def _note_prepared(run: JobTestRun) -> None:
    """Keep how far it is, and the claim."""
    JobTestRun.objects.filter(pk=run.pk).update(
        prepared=run.prepared, preparing_s=run.preparing_s, claimed_until=timezone.now() + _CLAIM
    )


def _start_process(run: JobTestRun, tests: int) -> None:
    Spool(run.pk).plays.begin(None)
    run.handle = play_process.start(Spool(run.pk), play_process.seconds_for(tests)).model_dump()
    run.save(update_fields=["handle"])


def _follow(run: JobTestRun) -> None:
    """Take results as they come, for a slice."""
    until = time.monotonic() + SLICE_S
    while run.is_live:
        alive = _plays(run)  # before the results are read: what it wrote last is then there
        took = _take(run)
        if run.done >= run_size(run):
            _end(run, _State.FINISHED, "")
        elif not took and not Spool(run.pk).is_there:
            _end(run, _State.FAILED, "The files of these tests are gone from their host. Run them again.")
        elif not took and not alive:
            _player_ended(run)
        elif not took and _is_older(run, play_process.MOST_S + 60):
            _end(run, _State.FAILED, "The tests took too long. Run fewer of them, or with fewer records.")
        elif not took and time.monotonic() > until:
            return
        elif not took:
            time.sleep(_POLL_S)
        held = JobTestRun.objects.filter(pk=run.pk).values_list("cancel_requested", flat=True).first()
        if held is None:  # deleted with its job; the next slice removes its folder
            return
        run.cancel_requested = held
        if run.cancel_requested and run.is_live:
            _end(run, _State.CANCELED, "")


def _player_ended(run: JobTestRun) -> None:
    """Who played the tests ended before all were played: after an engine a process plays the rest, after a
    process another one, without the test in which it died.
    """
    spool = Spool(run.pk)
    if run.engine:
        _LOG.info("an engine does not go on with tests", run=run.pk, engine=run.engine)
        play_engine.give_up(run)
        _start_process(run, run_size(run) - run.done)
        return
    said = spool.log_tail()
    _LOG.warning("the process that plays tests ended", run=run.pk, said=said)
    if spool.plays.playing != run.done or _is_older(run, play_process.MOST_S):
        _end(run, _State.FAILED, f"Spark ended before all tests were played. It said: {said[-300:]}")
        return
    last = said.rpartition("\n")[2]
    problem = PlayProblem(code="ENGINE_ERROR", message="Spark ended while it played this test.", raw=last)
    spool.plays.write_result(run.done, PlayResult(problem=problem))
    left = len(spool.plays.waiting())
    if left:
        _start_process(run, left)


def _is_older(run: JobTestRun, seconds: float) -> bool:
    """Whether its tests have been played for longer."""
    return run.started_at is not None and timezone.now() - run.started_at > timedelta(seconds=seconds)


def _take(run: JobTestRun) -> bool:
    """Judge the next result, when it is there."""
    if run.done >= run_size(run) or not record_result(run, run.done):
        return False
    run.done += 1
    # With the claim: many results take longer than it lasts, and a second worker would judge them too.
    JobTestRun.objects.filter(pk=run.pk).update(done=run.done, claimed_until=timezone.now() + _CLAIM)
    return True


def _plays(run: JobTestRun) -> bool:
    """Whether somebody goes on playing the tests."""
    if run.engine:
        return play_engine.plays(run)
    return run.handle is not None and play_process.lives(ProcessHandle.model_validate(run.handle))


def _end(run: JobTestRun, state: str, message: str) -> None:
    if run.engine:
        play_engine.give_up(run)
    if run.handle is not None:
        play_process.kill(ProcessHandle.model_validate(run.handle))
    Spool(run.pk).remove()
    run.state, run.message, run.finished_at = _State(state), message[:500], timezone.now()
    run.save(update_fields=["state", "message", "finished_at"])
    following = next_run(run.host_queue)
    if following is not None:
        enqueue(PLAY_TESTS, following, queue=run.host_queue)
