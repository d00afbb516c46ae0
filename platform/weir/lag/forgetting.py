"""What goes when a job goes."""

from typing import Any

from weir.lag import services


def job_deleted(sender: object, *, job_id: str, **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Receiver of `weir.runs.signals.job_deleted`."""
    services.forget(job_id)
