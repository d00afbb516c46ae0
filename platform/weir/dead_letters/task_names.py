"""Names of this app's Celery tasks, for `weir.runs.task_queue.enqueue`."""

from typing import Final

INDEX_DEAD_LETTERS: Final = "weir.dead_letters.tasks.index_dead_letters"
RUN_REDRIVE: Final = "weir.dead_letters.tasks.run_redrive"
