"""How far a run has come that drains a backlog, for the API and the live channel."""

from typing import Any

from jobs.kafka_messages import CatchingUp
from weir.runs.models import Run


def catching_up_json(run: Run) -> dict[str, Any] | None:
    """What is shown of a run that is catching up; None: it is not.

    Returns:
        `since_us`, `records_read`, `records_left`, `share_read` from 0 to 1, `records_per_second`,
        `done_us`. All but the first two are null while they are not known.
    """
    if not run.draining or run.catching_up is None:
        return None
    at = CatchingUp.model_validate(run.catching_up)
    total = None if at.left is None else at.read + at.left
    return {
        "since_us": at.since_us,
        "records_read": at.read,
        "records_left": at.left,
        "share_read": round(at.read / total, 4) if total else None,
        "records_per_second": at.records_per_second,
        "done_us": at.done_us,
    }
