"""Celery tasks of tests: short slices, each of which a later one repeats."""

from celery import shared_task
from django.utils import timezone

from weir.job_tests.services import play_hosts, player
from weir.job_tests.task_names import PLAY_TESTS, REMOVE_LEFT_FOLDERS
from weir.runs.services.engine_hosts import heard_hosts
from weir.runs.task_queue import enqueue


@shared_task
def play_tests(run_id: str) -> None:
    """Play tests for a slice of time, and enqueue the next, so that other tasks run in between."""
    queue = player.play_slice(run_id)
    if queue is not None:
        enqueue(PLAY_TESTS, run_id, queue=queue)


@shared_task
def reconcile_test_runs() -> None:
    """Enqueue the runs of tests that nobody plays at present, those of silent hosts elsewhere."""
    play_hosts.leave_silent_hosts()
    for run_id, queue in player.unattended_runs():
        enqueue(PLAY_TESTS, run_id, queue=queue)


@shared_task
def clean_hosts() -> None:
    """Have every host that answers delete what is left there of tests that have ended."""
    for queue in heard_hosts(timezone.now()):
        enqueue(REMOVE_LEFT_FOLDERS, queue=queue)


@shared_task
def remove_left_folders() -> None:
    """Delete what is left on this host of tests that have ended."""
    play_hosts.remove_left_folders()
