"""Signal receivers."""

from typing import Any

from weir.results.services.purge import delete_generation


def job_deleted(sender: object, *, job_id: str, generations: list[int], **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Delete the results of a deleted job; of a large one a slice, and the relay deletes the others."""
    for generation in generations:
        delete_generation(job_id, generation)
