"""Signal receivers."""

from typing import Any

from jobs.encryption import Keyring
from weir.alerts.models import EvaluatedOffset
from weir.alerts.services import sealing
from weir.alerts.services.outbox import is_end_of_job_owed
from weir.alerts.services.templates import add_templates
from weir.workspaces.models import Workspace


def workspace_saved(sender: object, *, instance: Workspace, created: bool, **_: Any) -> None:  # noqa: ARG001
    """Give a new workspace its first rules."""
    if created:
        add_templates(instance)


def job_deleted(sender: object, *, job_id: str, **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Forget how far the results of a deleted job were evaluated."""
    EvaluatedOffset.objects.filter(job_id=job_id).delete()


def job_row_needed(sender: object, *, job_id: str, **_: Any) -> bool:  # noqa: ARG001
    """Channels that were told that a job's alerts fire learn of the end before these go with its row."""
    return is_end_of_job_owed(job_id)


def keys_rotated(sender: object, *, ring: Keyring, **_: Any) -> None:  # noqa: ARG001
    """Encrypt the configurations of channels with the newest key."""
    sealing.rotate(ring)


def keys_in_use(sender: object, *, newest: str, **_: Any) -> list[str]:  # noqa: ARG001
    """Channels that still need an older key."""
    return sealing.with_older_keys(newest)
