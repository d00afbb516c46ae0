"""Reads the audit trail: filtered, newest first, and as a file."""

import csv
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from channels.db import database_sync_to_async
from django.db.models import Q, QuerySet

from jobs.base.instants import instant_of, instant_text
from weir.workspaces.models import Event, Membership, Workspace
from weir.workspaces.roles import Right, Role
from weir.workspaces.services.csv_cells import cell
from weir.workspaces.services.turns import Turns

FORMATS: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
CHUNK_EVENTS: Final = 1_000
COLUMNS: Final = ("at", "actor", "action", "kind", "subject", "text", "address")
_TURNS: Final = Turns(1)

_Row = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are asked for; what is empty or None excludes none.

    Attributes:
        actor: username of who did it, exactly.
        action: what was done.
        kind: of the object.
        object: the object's id or name, or a part of what happened.
        since: the first instant, inclusive.
        until: the last instant, exclusive.
    """

    actor: str = ""
    action: str = ""
    kind: str = ""
    object: str = ""
    since: datetime | None = None
    until: datetime | None = None


def find_events(workspace: Workspace, wanted: EventFilter) -> QuerySet[Event]:
    """The events of a workspace that a filter lets through, in no order."""
    found = Event.objects.of(workspace)
    exact = {
        "actor": wanted.actor,
        "action": wanted.action,
        "kind": wanted.kind,
        "at__gte": wanted.since,
        "at__lt": wanted.until,
    }
    found = found.filter(**{field: value for field, value in exact.items() if value})
    if wanted.object:
        found = found.filter(Q(subject=wanted.object) | Q(text__icontains=wanted.object))
    return found


class AccessEndedError(RuntimeError):
    """The person may no longer read. The file breaks: one that ended well would be taken for the whole."""


async def export(name: str, wanted: EventFilter, member: Membership) -> AsyncIterator[str]:
    """The text of a file in pieces of at most `CHUNK_EVENTS` events, newest first.

    Exports of one person take turns. What is recorded while it is written is not in it.

    Args:
        name: one of `FORMATS`.
        wanted: which events.
        member: who exports, with the workspace.

    Raises:
        AccessEndedError: the person may no longer read, before all was written.
    """
    next_chunk = database_sync_to_async(_chunk, thread_sensitive=False)
    if name == "csv":
        yield _csv([COLUMNS])
    after: tuple[datetime, int] | None = None
    while True:
        async with _TURNS.of(member.user_id):
            text, after = await next_chunk(name, wanted, member, after)
        if after is None:
            return
        yield text


def _chunk(
    name: str, wanted: EventFilter, member: Membership, after: tuple[datetime, int] | None
) -> tuple[str, tuple[datetime, int] | None]:
    """The text of the events after a position, and the position of the last; None at the end."""
    if not _may_read(member):
        raise AccessEndedError
    found = find_events(member.workspace, wanted)
    if after is not None:
        at, event_id = after
        found = found.filter(Q(at__lt=at) | Q(at=at, pk__lt=event_id))
    events = list(found.order_by("-at", "-pk")[:CHUNK_EVENTS])
    if not events:
        return "", None
    rows = [_row(event) for event in events]
    text = (
        _lines(rows) if name == "jsonl" else _csv([cell(row[column]) for column in COLUMNS] for row in rows)
    )
    return text, (events[-1].at, events[-1].pk)


def _may_read(member: Membership) -> bool:
    role = (
        Membership.objects.filter(pk=member.pk, user__is_active=True).values_list("role", flat=True).first()
    )
    return role is not None and Role(role).may(Right.READ_AUDIT_TRAIL)


def _row(event: Event) -> _Row:
    return {
        "at": instant_text(instant_of(event.at)),
        "actor": event.actor,
        "action": event.action,
        "kind": event.kind,
        "subject": event.subject,
        "text": event.text,
        "address": event.address,
    }


def _lines(rows: list[_Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _csv(rows: object) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue()
