"""Asking for letters to be sent again, and calling it off; `weir.guards.services.sending` does it."""

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from jobs.base.problems import problem
from jobs.formats.dead_letters import original_headers, parse_headers
from weir.guards.edits import EditError, Step
from weir.guards.models import DeadLetter, Guard, Redrive
from weir.guards.queueing import SEND_AGAIN
from weir.guards.replacing import stored
from weir.guards.services.choosing import Choice, chosen
from weir.guards.services.dead_topic import dead_topic_of
from weir.guards.services.mending import LetterRecord, require_fit
from weir.guards.services.reading import letter_messages
from weir.runs.task_queue import enqueue
from weir.streams.models import Stream
from weir.streams.record_input import NewRecord
from weir.streams.topic_ref import stream_ref
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import User
from weir.workspaces.services import record_event

MOST_PER_SECOND: Final = 5_000


def begin_redrive(
    guard: Guard,
    actor: User,
    choice: Choice,
    *,
    target: Stream,
    rate: int,
    value: bytes | None = None,
    record: NewRecord | None = None,
    edit: Sequence[Step] = (),
) -> Redrive:
    """Send waiting letters again, each once; letters that come later are not among them.

    Args:
        guard: whose letters.
        actor: who asks.
        choice: which.
        target: to whose topic; the stream itself, or another of the workspace.
        rate: letters per second at most.
        value: sent instead of the letter's own value; only for a single letter, and it must fit the target's contract.
        record: sent instead of the letter, its value, key and headers; only for a single letter, and it must fit the target's contract.
        edit: done to every letter; those that do not fit the target's contract then are not sent, and say why.

    Raises:
        ServiceError: not said which, the edited value does not fit, or more than one of `value`, `record` and `edit` is given.
        NotFoundError: none of them waits.
        UnreachableError: the cluster does not answer; only asked with `value` or `record`.
    """
    if sum([value is not None, record is not None, bool(edit)]) > 1:
        raise ServiceError("EDIT_INVALID", "Specify either a value or record for a single dead letter, or an edit for all of them.")
    with transaction.atomic():
        waiting = chosen(guard, choice)
        if value is not None or record is not None:
            _check_edited(guard, list(waiting[:2]), target, value, record)
        redrive = Redrive.objects.create(
            guard=guard,
            target=target,
            made_by=actor.username,
            rate=max(1, min(rate, MOST_PER_SECOND)),
            value=value,
            record=None if record is None else stored(record),
            edit=[step.model_dump() for step in edit],
        )
        redrive.total = waiting.update(state=DeadLetter.State.QUEUED, redrive=redrive, note="")
        redrive.save(update_fields=["total"])
        stream = guard.stream
        changed = f" (edit: {'; '.join(map(str, edit))})" if edit else ""
        said = f"Redrive of {redrive.total} dead letters from {stream.name} to {target.name} started{changed}"
        record_event(guard.workspace, "stream", said, actor=actor.username, subject=stream.name)
        transaction.on_commit(lambda: enqueue(SEND_AGAIN, redrive.pk))
    return redrive


def cancel_redrive(redrive: Redrive, actor: User) -> Redrive:
    """Send no more of them; those that were not sent wait again. Cancelling what is over is no error."""
    with transaction.atomic():
        locked = Redrive.objects.select_for_update().get(pk=redrive.pk)
        if locked.state == Redrive.State.RUNNING:
            locked.state, locked.ended_at = Redrive.State.CANCELLED, timezone.now()
            locked.save(update_fields=["state", "ended_at"])
            DeadLetter.objects.filter(redrive=locked, state=DeadLetter.State.QUEUED).update(state=DeadLetter.State.WAITING, redrive=None)
            stream = redrive.guard.stream
            said = f"Redrive of dead letters of {stream.name} canceled after {locked.sent} of {locked.total}"
            record_event(redrive.guard.workspace, "stream", said, actor=actor.username, subject=stream.name)
    redrive.refresh_from_db()
    return redrive


def find_redrive(guard: Guard, redrive_id: str) -> Redrive:
    """A redrive of this guard.

    Raises:
        NotFoundError: there is none of that id.
    """
    found = Redrive.objects.select_related("guard__stream", "guard__workspace", "target").filter(guard=guard, pk=redrive_id).first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Redrive not found, or you don't have access.")
    return found


def _check_edited(guard: Guard, letters: list[DeadLetter], target: Stream, value: bytes | None, given: NewRecord | None) -> None:
    if len(letters) != 1:
        raise ServiceError("ONE_AT_A_TIME", "A value can only be set for a single dead letter. Use `edit` for several.")
    message = letter_messages(dead_topic_of(guard), letters)[0].get(letters[0].pk)
    if message is None:
        raise ConflictError("DEAD_LETTER_NOT_FOUND", "This dead letter expired (topic retention).")
    headers: Any = message.headers() or []
    told = parse_headers(headers)
    if given is not None:
        record = LetterRecord(given.value, given.key, letters[0].at_us, given.headers)
    else:
        record = LetterRecord(value, told.key if told else None, letters[0].at_us, tuple(original_headers(headers)))
    try:
        require_fit(record.value, record, target, stream_ref(target))
    except EditError as error:
        raise ServiceError("RECORD_MALFORMED", str(error), (problem("PARAMETER_RANGE", ("value",), str(error)),)) from error
