"""Giving letters up, with a reason; their bytes stay in the dead-letter topic until Kafka forgets them."""

from django.utils import timezone

from weir.guards.models import DeadLetter, Guard
from weir.guards.services.choosing import Choice, chosen
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User
from weir.workspaces.services import record_event


def drop(guard: Guard, actor: User, choice: Choice, why: str) -> int:
    """Drop waiting letters; how many.

    Args:
        guard: whose.
        actor: who asks.
        choice: which.
        why: for people who look for them later; not empty.

    Raises:
        ServiceError: no reason, or not said which.
        NotFoundError: none of them waits.
    """
    if not why.strip():
        raise ServiceError("REASON_MISSING", "Enter a reason.")
    dropped = chosen(guard, choice).update(state=DeadLetter.State.DROPPED, note=why.strip()[:500], settled_at=timezone.now())
    stream = guard.stream
    said = f"{dropped} dead letters of {stream.name} discarded: {why.strip()}"
    record_event(guard.workspace, "stream", said, actor=actor.username, subject=stream.name)
    return dropped
