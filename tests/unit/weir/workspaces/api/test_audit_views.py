"""The routes of the audit trail: pages, what was not recorded, wrong questions.

Roles and strangers are played in tests/unit/weir/project.
"""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from tests.support.users import client_of
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event

pytestmark = pytest.mark.django_db(databases=["default", "results"])
PATH = "/api/v1/workspaces/ops/audit-trail"


def test_pages_have_every_event_once(workspace: Workspace, owner: User) -> None:
    for number in range(120):
        record_event(workspace, "job", f"event {number}", action=Action.CHANGED, actor="ann", subject="j1")
    Event.objects.filter(pk__gt=40).update(at=timezone.now() - timedelta(hours=1))
    client = client_of(owner)
    page, found = client.get(PATH).json(), []
    while True:
        found += [event["id"] for event in page["results"]]
        if page["next"] is None:
            break
        parts = urlsplit(page["next"])
        page = client.get(f"{parts.path}?{parts.query}").json()
    assert len(found) == len(set(found)) == 120
    newest = Event.objects.order_by("-at", "-pk").values_list("pk", flat=True)
    assert found == list(newest)


def test_a_page_keeps_its_filter(workspace: Workspace, owner: User) -> None:
    for number in range(60):
        record_event(
            workspace, "job", f"event {number}", action=Action.CHANGED, actor="ann" if number % 2 else "bob"
        )
    page = client_of(owner).get(PATH, {"actor": "ann"}).json()
    assert {event["actor"] for event in page["results"]} == {"ann"}
    assert page["next"] is None


def test_what_was_not_recorded_is_empty(workspace: Workspace, owner: User) -> None:
    Event.objects.create(workspace=workspace, kind="job", actor="ann", subject="j1", text="before all this")
    (event,) = client_of(owner).get(PATH).json()["results"]
    assert event.keys() == {"id", "at", "actor", "action", "kind", "subject", "text", "address"}
    assert (event["action"], event["address"]) == ("", None)


@pytest.mark.parametrize(
    "question",
    [
        {"action": "flown"},
        {"kind": "moon"},
        {"since": "yesterday"},
        {"object": "x" * 101},
        {"actor": "a\x00"},
    ],
)
@pytest.mark.parametrize("route", [PATH, f"{PATH}/export"])
def test_a_wrong_question_is_refused(
    workspace: Workspace, owner: User, route: str, question: dict[str, str]
) -> None:
    answer = client_of(owner).get(route, question)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")


def test_an_unknown_form_of_file_is_refused(workspace: Workspace, owner: User) -> None:
    assert client_of(owner).get(f"{PATH}/export", {"format": "xml"}).status_code == 400


@pytest.mark.parametrize(
    ("form", "kind"), [("csv", "text/csv; charset=utf-8"), ("jsonl", "application/x-ndjson")]
)
def test_a_file_has_its_name(workspace: Workspace, owner: User, form: str, kind: str) -> None:
    answer = client_of(owner).get(f"{PATH}/export", {"format": form})
    assert answer["Content-Type"] == kind
    assert answer["Content-Disposition"] == f'attachment; filename="audit-trail-ops.{form}"'
