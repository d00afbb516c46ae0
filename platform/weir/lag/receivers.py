"""Signal receivers."""

from typing import Any

from weir.lag.services import history


def job_deleted(sender: object, *, job_id: str, **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Delete the lag of a deleted job."""
    history.delete_lag(job_id)
