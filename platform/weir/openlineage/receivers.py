"""Signal receivers."""

from typing import Any

from jobs.encryption import Keyring
from weir.openlineage.services import sealing
from weir.openlineage.services.outbox import note
from weir.runs.models import Run


def execution_changed(
    sender: object,  # noqa: ARG001
    *,
    run: Run,
    state: str,
    reason: str,
    failure: dict[str, Any] | None,
    **_: Any,
) -> None:
    """Put the event of an execution's new state into the outbox."""
    note(run, state, (failure or {}).get("message") or reason)


def keys_rotated(sender: object, *, ring: Keyring, **_: Any) -> None:  # noqa: ARG001
    """Encrypt API keys of receivers with the newest key."""
    sealing.rotate(ring)


def keys_in_use(sender: object, *, newest: str, **_: Any) -> list[str]:  # noqa: ARG001
    """Receivers that still need an older key."""
    return sealing.with_older_keys(newest)
