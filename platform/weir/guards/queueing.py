"""Names of this room's commands to workers (`weir.runs.task_queue.enqueue`)."""

from typing import Final

READ_LETTERS: Final = "weir.guards.tasks.read_letters"
SEND_AGAIN: Final = "weir.guards.tasks.send_again"
