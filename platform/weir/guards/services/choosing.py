"""Which letters a person means: some by id, all of a reason, or all; only such as wait."""

from dataclasses import dataclass

from django.db.models import QuerySet

from weir.guards.models import DeadLetter, Guard
from weir.workspaces.errors import NotFoundError, ServiceError


@dataclass(frozen=True)
class Choice:
    """Exactly one of: `letters` (ids), `reason`, `everything`."""

    letters: tuple[int, ...] = ()
    reason: str = ""
    everything: bool = False


def chosen(guard: Guard, choice: Choice) -> QuerySet[DeadLetter]:
    """The waiting letters of a choice.

    Raises:
        ServiceError: it says none, or more than one thing.
        NotFoundError: an id is none of this guard's, or none of them waits.
    """
    if sum([bool(choice.letters), bool(choice.reason), choice.everything]) != 1:
        raise ServiceError("CHOICE_INVALID", "Specify `letters`, `reason` or `all`.")
    letters = DeadLetter.objects.filter(guard=guard)
    if choice.letters:
        letters = letters.filter(pk__in=choice.letters)
        if letters.count() != len(set(choice.letters)):
            raise NotFoundError("NOT_FOUND", "Some of these dead letters don't exist.")
    elif choice.reason:
        letters = letters.filter(reason=choice.reason)
    waiting = letters.filter(state=DeadLetter.State.WAITING)
    if not waiting.exists():
        raise NotFoundError("NOTHING_WAITS", "None are waiting; they were already redriven or discarded.")
    return waiting
