"""Discards dead letters with a note. Their bytes stay in the dead-letter topic until its retention ends."""

from django.db import transaction
from django.utils import timezone

from weir.dead_letters.models import DeadLetter, Validator
from weir.dead_letters.services.selection import Selection, select, update_waiting
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import record_event


def discard(validator: Validator, actor: User, selection: Selection, note: str) -> int:
    """Discard waiting dead letters.

    Args:
        validator: of the stream.
        actor: the user, for the audit trail.
        selection: the dead letters.
        note: why they are discarded; not empty.

    Returns:
        How many were discarded.

    Raises:
        ServiceError: the note is empty or the selection invalid.
        NotFoundError: none of the selected dead letters is waiting.
    """
    if not note.strip():
        raise ServiceError("REASON_MISSING", "Enter a reason.")
    stream = validator.stream
    with transaction.atomic():  # so that none is discarded without a line of who did it
        discarded = update_waiting(
            select(validator, selection),
            state=DeadLetter.State.DISCARDED,
            note=note.strip()[:500],
            resolved_at=timezone.now(),
        )
        record_event(
            validator.workspace,
            "stream",
            f"{discarded} dead letters of {stream.name} discarded: {note.strip()}",
            actor=actor.username,
            subject=stream.name,
            action=Action.DISCARDED,
        )
    return discarded
