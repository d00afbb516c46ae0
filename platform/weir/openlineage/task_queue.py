"""Names this app's task for those that must not import `tasks`."""

from typing import Final

from weir.runs.task_queue import enqueue

DELIVER: Final = "weir.openlineage.tasks.deliver_due"


def ask_for_delivery() -> None:
    """Ask a worker to deliver what waits. Where no worker hears it, beat asks again."""
    enqueue(DELIVER)
