"""Starts and cancels redrives; `weir.dead_letters.services.redrive_worker` runs them."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone

from jobs.base.budget import OverBudget
from jobs.base.problems import problem
from jobs.formats.dead_letters import original_headers, parse_headers
from weir.clusters.services.message_headers import headers_of
from weir.dead_letters.models import DeadLetter, Redrive, Validator
from weir.dead_letters.services.dead_letter_topic import dead_letter_topic_of
from weir.dead_letters.services.editing import RecordContent, require_valid
from weir.dead_letters.services.edits import EditError, EditOperation, dump_edit
from weir.dead_letters.services.indexing import EXPIRED, fetch_message
from weir.dead_letters.services.replacement_record import dump
from weir.dead_letters.services.selection import Selection, select, update_waiting
from weir.dead_letters.task_names import RUN_REDRIVE
from weir.runs.task_queue import enqueue
from weir.streams.models import Stream
from weir.streams.services.decoding import page_budget
from weir.streams.services.record_input import NewRecord
from weir.streams.services.topic_ref import stream_ref
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import record_event

MAX_RATE: Final = 5_000


def start_redrive(
    validator: Validator,
    actor: User,
    selection: Selection,
    *,
    target: Stream,
    rate: int,
    value: bytes | None = None,
    record: NewRecord | None = None,
    edit: Sequence[EditOperation] = (),
) -> Redrive:
    """Start a redrive of the dead letters that are waiting now. Each is sent once.

    Args:
        validator: of the dead letters.
        actor: the user, for the audit trail.
        selection: the dead letters.
        target: the stream to whose topic they are sent: their own, or another of the workspace.
        rate: max. dead letters per second.
        value: replaces the value of a single dead letter; must be valid for the target's contract.
        record: replaces value, key and headers of a single dead letter; must be valid
            for the target's contract.
        edit: applied to every dead letter; those that are still invalid are not sent and get a note.

    Raises:
        ServiceError: the selection or the replacement is invalid, or more than one of `value`,
            `record` and `edit` is given.
        NotFoundError: none of the selected dead letters is waiting.
        UnreachableError: the cluster does not answer, or not in time; only with `value` or `record`.
    """
    if sum([value is not None, record is not None, bool(edit)]) > 1:
        raise ServiceError(
            "EDIT_INVALID",
            "Specify either a value or record for a single dead letter, or an edit for all of them.",
        )
    waiting = select(validator, selection)
    if value is not None or record is not None:
        checked = list(waiting[:2])
        _check_replacement(validator, checked, target, value, record)
        waiting = waiting.filter(pk=checked[0].pk)  # more may have come meanwhile
    with transaction.atomic():
        redrive = Redrive.objects.create(
            validator=validator,
            target=target,
            created_by=actor.username,
            rate=max(1, min(rate, MAX_RATE)),
            value=value,
            record=None if record is None else dump(record),
            edit=dump_edit(edit),
        )
        redrive.total = update_waiting(waiting, state=DeadLetter.State.QUEUED, redrive=redrive, note="")
        if not redrive.total:
            raise NotFoundError("NONE_WAITING", "None are waiting; they were already redriven or discarded.")
        redrive.save(update_fields=["total"])
        stream = validator.stream
        edits = f" (edit: {'; '.join(map(str, edit))})" if edit else ""
        text = f"Redrive of {redrive.total} dead letters from {stream.name} to {target.name} started{edits}"
        record_event(
            validator.workspace,
            "stream",
            text,
            actor=actor.username,
            subject=stream.name,
            action=Action.REDRIVEN,
        )
        transaction.on_commit(lambda: enqueue(RUN_REDRIVE, redrive.pk))
    return redrive


def cancel_redrive(redrive: Redrive, actor: User) -> Redrive:
    """Cancel a redrive; what was not sent is waiting again. No error if it has ended."""
    with transaction.atomic():
        locked = Redrive.objects.select_for_update().get(pk=redrive.pk)
        if locked.state == Redrive.State.RUNNING:
            locked.state, locked.ended_at = Redrive.State.CANCELLED, timezone.now()
            locked.save(update_fields=["state", "ended_at"])
            DeadLetter.objects.filter(redrive=locked, state=DeadLetter.State.QUEUED).update(
                state=DeadLetter.State.WAITING, redrive=None
            )
            stream = redrive.validator.stream
            text = f"Redrive of dead letters of {stream.name} canceled after {locked.sent} of {locked.total}"
            record_event(
                redrive.validator.workspace,
                "stream",
                text,
                actor=actor.username,
                subject=stream.name,
                action=Action.CANCELED,
            )
    redrive.refresh_from_db()
    return redrive


def get_redrive(validator: Validator, redrive_id: str) -> Redrive:
    """The redrive with this id.

    Raises:
        NotFoundError: the validator has none.
    """
    found = (
        Redrive.objects.select_related("validator__stream", "validator__workspace", "target")
        .filter(validator=validator, pk=redrive_id)
        .first()
    )
    if found is None:
        raise NotFoundError("NOT_FOUND", "Redrive not found, or you don't have access.")
    return found


def _check_replacement(
    validator: Validator,
    dead_letters: list[DeadLetter],
    target: Stream,
    value: bytes | None,
    replacement: NewRecord | None,
) -> None:
    if len(dead_letters) != 1:
        raise ServiceError(
            "ONE_AT_A_TIME", "A value can only be set for a single dead letter. Use `edit` for several."
        )
    message = fetch_message(dead_letter_topic_of(validator), dead_letters[0])
    if message is None:
        raise ConflictError("DEAD_LETTER_NOT_FOUND", EXPIRED)
    headers = headers_of(message)
    parsed = parse_headers(headers)
    if replacement is not None:
        record = RecordContent(
            replacement.value, replacement.key, dead_letters[0].timestamp_us, replacement.headers
        )
    else:
        record = RecordContent(
            value,
            parsed.key if parsed else None,
            dead_letters[0].timestamp_us,
            tuple(original_headers(headers)),
        )
    try:
        with page_budget():
            require_valid(record.value, record, target, stream_ref(target))
    except OverBudget as over:
        raise ServiceError(
            "RECORD_TOO_LARGE", f"It has too many values to be checked here: {over}."
        ) from over
    except EditError as error:
        raise ServiceError(
            "RECORD_MALFORMED", str(error), (problem("PARAMETER_RANGE", ("value",), str(error)),)
        ) from error
