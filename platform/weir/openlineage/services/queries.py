"""A workspace's receiver, what came of its deliveries, and its events; reads only."""

from typing import Final

from django.db.models import Case, Count, F, Min, Q, QuerySet, When
from django.db.models.functions import Greatest

from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace

PAGE: Final = 50
_WAITING: Final = Q(events__state=LineageEvent.State.WAITING)


def receiver_of(workspace: Workspace) -> LineageReceiver | None:
    """The workspace's receiver; None: it has none.

    Its events are counted in `waiting`, `sent` and `failed`, the last two as far as they are kept.
    `waiting_since` is when the oldest that waits was written, `next_try_at` when what waits is tried, at the
    earliest: null where nothing waits, or nothing is sent.
    """
    due = Greatest(F("due_at"), Min("events__due_at", filter=_WAITING))
    rows: QuerySet[LineageReceiver] = LineageReceiver.objects.filter(workspace=workspace).annotate(
        waiting=Count("events", filter=_WAITING),
        sent=Count("events", filter=Q(events__state=LineageEvent.State.SENT)),
        failed=Count("events", filter=Q(events__state=LineageEvent.State.FAILED)),
        waiting_since=Min("events__created_at", filter=_WAITING),
        next_try_at=Case(When(enabled=True, waiting__gt=0, then=due)),
    )
    return rows.first()


def require_receiver(workspace: Workspace) -> LineageReceiver:
    """As `receiver_of`.

    Raises:
        NotFoundError: it has none.
    """
    found = receiver_of(workspace)
    if found is None:
        raise NotFoundError("NOT_FOUND", "This workspace sends its lineage nowhere. Set a receiver first.")
    return found


def events_page(
    workspace: Workspace, state: LineageEvent.State | None, before: int | None
) -> tuple[list[LineageEvent], int | None]:
    """A page of the events that are kept, the newest first.

    Args:
        workspace: of the receiver.
        state: of the events; None: any.
        before: an id; None: from the newest.

    Returns:
        The events, and `before` of the next page; None: this is the last.
    """
    rows = LineageEvent.objects.filter(receiver__workspace=workspace)
    if state is not None:
        rows = rows.filter(state=state)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    listed = list(rows.order_by("-id")[: PAGE + 1])
    return (listed, None) if len(listed) <= PAGE else (listed[:PAGE], listed[PAGE - 1].pk)
