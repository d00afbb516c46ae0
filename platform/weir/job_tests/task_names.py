"""Names of this app's Celery tasks, for `weir.runs.task_queue.enqueue`."""

from typing import Final

PLAY_TESTS: Final = "weir.job_tests.tasks.play_tests"
REMOVE_LEFT_FOLDERS: Final = "weir.job_tests.tasks.remove_left_folders"
