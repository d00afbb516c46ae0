"""The audit trail: where an event came from, what a filter lets through, and the whole of it as a file."""

import csv
import io
import json
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from pytest_django import Settings

from tests.support.users import client_of, create_user, member, workspace_of
from weir.workspaces.models import Action, Event, Membership, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services import audit_trail
from weir.workspaces.services.audit_trail import (
    COLUMNS,
    AccessEndedError,
    EventFilter,
    export,
    find_events,
)
from weir.workspaces.services.events import record_event
from weir.workspaces.services.invitations import invite
from weir.workspaces.services.request_origin import request_address, serving_request_from

in_transaction = pytest.mark.django_db(databases=["default", "results"])
committed = pytest.mark.django_db(transaction=True, databases=["default", "results"])


def invited(owner: User, **headers: str) -> Event:
    """What was recorded of an owner's request."""
    answer = client_of(owner).post(
        "/api/v1/workspaces/ops/invitations", {"username": "bob", "role": "viewer"}, **headers
    )
    assert answer.status_code == 201, answer.content
    return Event.objects.get(action=Action.INVITED)


@in_transaction
@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "found"),
    [
        (0, "192.0.2.1", "198.51.100.1", "192.0.2.1"),
        (1, "10.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        (0, "2001:db8:0:1:aaaa::1", "", "2001:db8:0:1:aaaa::1"),
        (1, "10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        (0, "::ffff:192.0.2.1", "", "192.0.2.1"),
        (0, "", "198.51.100.1", None),
    ],
)
def test_an_event_has_the_whole_address_that_may_be_believed(
    settings: Settings,
    workspace: Workspace,
    owner: User,
    proxies: int,
    remote: str,
    forwarded: str,
    found: str,
) -> None:
    settings.NUM_PROXIES = proxies
    event = invited(owner, REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded)
    assert (event.actor, event.kind, event.address) == ("ann", "member", found)


@in_transaction
def test_what_no_request_asked_for_has_no_address(workspace: Workspace, owner: User) -> None:
    invite(workspace, "bob", Role.VIEWER, owner)
    assert Event.objects.get(action=Action.INVITED).address is None


@in_transaction
def test_what_the_system_does_during_a_request_has_no_address(workspace: Workspace) -> None:
    with serving_request_from("192.0.2.1"):
        record_event(workspace, "job", "by itself", action=Action.STOPPED)
        record_event(workspace, "job", "by ann", action=Action.STOPPED, actor="ann")
    assert dict(Event.objects.values_list("text", "address")) == {"by itself": None, "by ann": "192.0.2.1"}


def test_the_address_is_forgotten_after_the_request() -> None:
    with pytest.raises(ValueError, match="x"), serving_request_from("192.0.2.1"):
        raise ValueError("x")
    assert request_address() is None


@committed
async def test_an_address_reaches_services_of_the_real_server(async_client: object) -> None:
    """Under ASGI the request is served on another thread than it is read on."""
    owner = await sync_to_async(create_user)("ann")
    await sync_to_async(workspace_of)(owner)
    await async_client.aforce_login(owner)  # type: ignore[attr-defined]
    answer = await async_client.post(  # type: ignore[attr-defined]
        "/api/v1/workspaces/ops/invitations",
        json.dumps({"username": "bob", "role": "viewer"}),
        content_type="application/json",
    )
    assert answer.status_code == 201, answer.content
    assert (await Event.objects.aget(action=Action.INVITED)).address == "127.0.0.1"


@pytest.fixture
def events(workspace: Workspace) -> Workspace:
    """Four events, one hour apart, the newest first in this list."""
    made = (
        ("d", "ann", Action.DELETED, "stream", "trades", "Stream trades unregistered"),
        ("c", "bob", Action.STARTED, "job", "j1", "stats started from now"),
        ("b", "ann", Action.CREATED, "job", "j1", "Job stats created"),
        ("a", "", Action.STOPPED, "job", "j2", "other_100% stopped"),
    )
    for age, (_, actor, action, kind, subject, text) in enumerate(made):
        record_event(workspace, kind, text, action=action, actor=actor, subject=subject)
        Event.objects.filter(text=text).update(at=NOW - timedelta(hours=age))
    return workspace


NOW = timezone.now()


@in_transaction
@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        (EventFilter(), {"trades", "now", "created", "stopped"}),
        (EventFilter(actor="ann"), {"trades", "created"}),
        (EventFilter(actor="an"), set()),
        (EventFilter(action=Action.STARTED), {"now"}),
        (EventFilter(kind="job"), {"now", "created", "stopped"}),
        (EventFilter(object="j1"), {"now", "created"}),
        (EventFilter(object="STATS"), {"now", "created"}),
        (EventFilter(object="_100%"), {"stopped"}),
        (EventFilter(object="%"), {"stopped"}),
        (EventFilter(since=NOW - timedelta(hours=1)), {"trades", "now"}),
        (EventFilter(until=NOW - timedelta(hours=1)), {"created", "stopped"}),
        (EventFilter(actor="ann", kind="job", object="stats"), {"created"}),
    ],
)
def test_a_filter(events: Workspace, wanted: EventFilter, texts: set[str]) -> None:
    found = {event.text for event in find_events(events, wanted)}
    assert len(found) == len(texts)
    assert all(any(part in text for text in found) for part in texts)


@in_transaction
def test_another_workspaces_events_are_not_found(events: Workspace) -> None:
    assert not find_events(workspace_of(create_user("eve"), "labs"), EventFilter())


@committed
@pytest.mark.parametrize("name", ["csv", "jsonl"])
async def test_the_whole_trail_is_in_the_file_newest_first(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(audit_trail, "CHUNK_EVENTS", 3)
    membership = await _recorded()
    pieces = [piece async for piece in export(name, EventFilter(), membership)]
    assert len(pieces) == 4 + (name == "csv"), "ten events in pieces of three"
    assert [row["text"] for row in _rows(name, "".join(pieces))] == [
        f"event {n}" for n in reversed(range(10))
    ]


@committed
async def test_a_file_has_what_the_filter_lets_through() -> None:
    membership = await _recorded()
    found = "".join([piece async for piece in export("jsonl", EventFilter(actor="p3"), membership)])
    (row,) = _rows("jsonl", found)
    assert row == {
        "at": row["at"],
        "actor": "p3",
        "action": "created",
        "kind": "job",
        "subject": "=cmd()",
        "text": "event 3",
        "address": "192.0.2.1",
    }
    assert row["at"].endswith("Z")


@committed
async def test_a_spreadsheet_runs_nothing_of_the_file() -> None:
    membership = await _recorded()
    found = "".join([piece async for piece in export("csv", EventFilter(), membership)])
    assert {row["subject"] for row in _rows("csv", found)} == {"'=cmd()"}


@committed
async def test_a_file_breaks_where_its_owner_is_one_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_trail, "CHUNK_EVENTS", 3)
    membership = await _recorded()
    pieces = export("jsonl", EventFilter(), membership)
    first = await anext(pieces)
    await Membership.objects.filter(pk=membership.pk).aupdate(role=Role.EDITOR)
    assert len(first.splitlines()) == 3
    with pytest.raises(AccessEndedError):  # what ended well would be taken for the whole
        await anext(pieces)


@sync_to_async
def _recorded() -> Membership:
    """The owner of a workspace with ten events, all at one instant."""
    owner = create_user("ann")
    workspace = workspace_of(owner)
    for number in range(10):
        with serving_request_from("192.0.2.1"):
            record_event(
                workspace,
                "job",
                f"event {number}",
                action=Action.CREATED,
                actor=f"p{number}",
                subject="=cmd()",
            )
    Event.objects.update(at=NOW)
    other = workspace_of(member(workspace, "eve", Role.OWNER), "labs")
    record_event(other, "job", "planted", action=Action.CREATED)
    return Membership.objects.select_related("workspace").get(workspace=workspace, user=owner)


def _rows(name: str, text: str) -> list[dict[str, str]]:
    if name == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    table = list(csv.reader(io.StringIO(text)))
    assert table[0] == list(COLUMNS)
    return [dict(zip(COLUMNS, row, strict=True)) for row in table[1:]]
