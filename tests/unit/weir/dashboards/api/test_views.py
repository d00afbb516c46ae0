"""The routes of dashboards and links, as the interface uses them."""

import json

import pytest
from django.test import Client
from pytest_django import Settings

from tests.support.dashboard_documents import document_of, line_panel, number_panel
from tests.support.run_factories import job_of
from tests.support.users import client_of, create_user, member
from weir.dashboards.models import ShareLink
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops/dashboards"


@pytest.fixture
def editor(workspace: Workspace) -> Client:
    return client_of(member(workspace, "ed", Role.EDITOR))


@pytest.fixture
def job_id(workspace: Workspace, owner: User) -> str:
    return job_of(workspace, owner).pk


def create(editor: Client, job_id: str) -> str:
    body = {"name": "floor", "document": document_of(number_panel(job_id), line_panel(job_id))}
    answer = editor.post(BASE, body)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def test_a_life(workspace: Workspace, editor: Client, job_id: str) -> None:
    id = create(editor, job_id)
    viewer = client_of(member(workspace, "vic", Role.VIEWER))
    (row,) = viewer.get(BASE).json()["results"]
    assert (row["id"], row["name"], row["panels"], row["changed_by"]) == (id, "floor", 2, "ed")
    assert "document" not in row
    stored = viewer.get(f"{BASE}/{id}").json()
    change = {"name": "Floor", "document": stored["document"], "revision": 1}
    assert viewer.put(f"{BASE}/{id}", change).status_code == 403
    assert editor.put(f"{BASE}/{id}", change).json()["revision"] == 2
    again = editor.put(f"{BASE}/{id}", change)
    assert (again.status_code, again.json()["code"]) == (409, "REVISION_OUTDATED")
    assert editor.delete(f"{BASE}/{id}").status_code == 204
    assert editor.get(f"{BASE}/{id}").status_code == 404


def test_problems_have_places(editor: Client, job_id: str) -> None:
    answer = editor.post(BASE, {"name": "x", "document": document_of(number_panel(job_id, colour="red"))})
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["path"] == ["panels", "0", "colour"]


def test_links_are_listed_without_their_token_and_revoked(editor: Client, job_id: str) -> None:
    links = f"{BASE}/{create(editor, job_id)}/links"
    assert editor.post(links, {"days": 91}).status_code == 400
    made = editor.post(links, {"note": "lobby", "days": 30})
    assert made.status_code == 201
    listed = editor.get(links)
    assert made.json()["token"] not in listed.content.decode()
    assert listed.json()["results"][0] | {"token": made.json()["token"]} == made.json()
    assert editor.delete(f"{links}/{made.json()['id']}").status_code == 204
    assert not editor.get(links).json()["results"][0]["live"]


def test_whoever_has_the_link_sees_the_panels_and_nothing_else(editor: Client, job_id: str) -> None:
    id = create(editor, job_id)
    token = editor.post(f"{BASE}/{id}/links", {}).json()["token"]
    shown = client_of().post("/api/v1/shared-dashboard", {"token": token})
    assert shown.status_code == 200
    assert shown["Cache-Control"] == "no-store"
    assert set(shown.json()) == {"name", "document", "revision", "expires_at"}
    text = json.dumps(shown.json())
    assert not [word for word in ("ops", "stats", 'trades"', "ed@", "sources") if word in text]
    ticket = client_of().post("/api/v1/shared-dashboard/live-ticket", {"token": token})
    assert ticket.status_code == 201
    assert ticket.json()["ticket"].startswith("share-")


@pytest.mark.parametrize("path", ["/api/v1/shared-dashboard", "/api/v1/shared-dashboard/live-ticket"])
def test_every_wrong_token_has_the_same_answer(editor: Client, job_id: str, path: str) -> None:
    links = f"{BASE}/{create(editor, job_id)}/links"
    made = [editor.post(links, {}).json() for _ in range(2)]
    editor.delete(f"{links}/{made[0]['id']}")
    ShareLink.objects.filter(pk=made[1]["id"]).update(expires_at="2020-01-01T00:00:00Z")
    answers = [
        client_of().post(path, {"token": token}) for token in (made[0]["token"], made[1]["token"], "x")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert client_of().post(path, {"token": "x" * 101}).status_code == 400
    assert client_of().get(path).status_code == 405


def test_a_link_is_no_account(editor: Client, job_id: str) -> None:
    id = create(editor, job_id)
    token = editor.post(f"{BASE}/{id}/links", {}).json()["token"]
    client = client_of()
    for scheme in ("Bearer", "Token"):
        client.credentials(HTTP_AUTHORIZATION=f"{scheme} {token}")
        for route in (f"{BASE}/{id}", f"/api/v1/workspaces/ops/jobs/{job_id}/results", "/api/v1/tokens"):
            assert client.get(route).status_code == 401


def test_a_session_of_the_caller_changes_nothing(editor: Client, job_id: str) -> None:
    token = editor.post(f"{BASE}/{create(editor, job_id)}/links", {}).json()["token"]
    stranger = Client(enforce_csrf_checks=True)
    stranger.force_login(create_user("eve"))
    answer = stranger.post(
        "/api/v1/shared-dashboard", {"token": token}, content_type="application/json", HTTP_HOST="localhost"
    )
    assert answer.status_code == 200


def test_tokens_cannot_be_tried_without_end(db: None, settings: Settings) -> None:
    settings.RATES_PER_MINUTE = {**settings.RATES_PER_MINUTE, "share-link": 4}
    client = client_of()
    statuses = [client.post("/api/v1/shared-dashboard", {"token": str(n)}).status_code for n in range(9)]
    assert statuses[:4] == [404] * 4
    assert 429 in statuses[4:]  # the minute may change once in between


def test_what_panels_can_show(workspace: Workspace, editor: Client, job_id: str) -> None:
    (row,) = editor.get("/api/v1/workspaces/ops/dashboard-outputs").json()["results"]
    assert (row["job"], row["job_name"], row["output"]) == (job_id, "stats", "live")
    assert row["result"]["windowed"]
    assert {field["name"] for field in row["result"]["schema"]} >= {"symbol", "n", "low", "window_start"}
