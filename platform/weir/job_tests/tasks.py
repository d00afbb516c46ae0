"""Celery tasks of tests: short slices, each of which a later one repeats."""

from celery import shared_task

from weir.job_tests.services import player
from weir.job_tests.services.play_hosts import leave_silent_hosts
from weir.job_tests.task_names import PLAY_TESTS
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
    leave_silent_hosts()
    for run_id, queue in player.unattended_runs():
        enqueue(PLAY_TESTS, run_id, queue=queue)
