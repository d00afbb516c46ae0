"""Names of this app's Celery tasks, for `weir.runs.task_queue.enqueue`."""

from typing import Final

PLAY_TESTS: Final = "weir.job_tests.tasks.play_tests"
