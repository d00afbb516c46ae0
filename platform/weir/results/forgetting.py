"""What goes when a job goes."""

from typing import Any

from weir.results import services


def job_deleted(sender: object, *, job_id: str, generations: list[int], **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Receiver of `weir.runs.signals.job_deleted`."""
    for generation in generations:
        services.forget(job_id, generation)
