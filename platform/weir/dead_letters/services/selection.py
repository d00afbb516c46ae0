"""Selects dead letters: by id, by reason, or all of a stream. Only waiting ones count."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from weir.dead_letters.models import DeadLetter, Validator
from weir.workspaces.errors import NotFoundError, ServiceError

_UPDATED_ROWS: Final = 5_000  # by one statement: a database cancels one that takes too long


@dataclass(frozen=True)
class Selection:
    """Exactly one of `ids`, `reason` and `everything` is set."""

    ids: tuple[int, ...] = ()
    reason: str = ""
    everything: bool = False


def select(validator: Validator, selection: Selection) -> QuerySet[DeadLetter]:
    """The waiting dead letters of a selection.

    Raises:
        ServiceError: the selection does not have exactly one criterion.
        NotFoundError: an id does not belong to this validator, or none of the
            selected dead letters is waiting.
    """
    if sum([bool(selection.ids), bool(selection.reason), selection.everything]) != 1:
        raise ServiceError("SELECTION_INVALID", "Specify ids, reason or all.")
    dead_letters = DeadLetter.objects.filter(validator=validator)
    if selection.ids:
        dead_letters = dead_letters.filter(pk__in=selection.ids)
        if dead_letters.count() != len(set(selection.ids)):
            raise NotFoundError("NOT_FOUND", "Some of these dead letters don't exist.")
    elif selection.reason:
        dead_letters = dead_letters.filter(reason=selection.reason)
    waiting = dead_letters.filter(state=DeadLetter.State.WAITING)
    if not waiting.exists():
        raise NotFoundError("NONE_WAITING", "None are waiting; they were already redriven or discarded.")
    return waiting


def update_waiting(waiting: QuerySet[DeadLetter], **values: Any) -> int:
    """Change waiting dead letters, `state` among what is changed; returns how many.

    Args:
        waiting: of `select`.
        values: by field.
    """
    changed = 0
    while pks := list(waiting.values_list("pk", flat=True)[:_UPDATED_ROWS]):
        still = DeadLetter.objects.filter(pk__in=pks, state=DeadLetter.State.WAITING)
        changed += still.update(**values)
    return changed
