"""Letters by reason; dropping with a reason; what can be chosen; redrives begin and are called off."""

from typing import Any

import pytest

from tests.support.guard_factories import guarded, letter
from tests.support.users import client_of, create_user, workspace_of
from weir.guards.models import DeadLetter, Guard, Redrive
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops/streams/trades/"


@pytest.fixture
def guard(workspace: Workspace) -> Guard:
    found = guarded(workspace)
    for offset in range(5):
        letter(found, offset)
    letter(found, 10, "FIELD_TYPE", times=2, preview="00ff", preview_is_text=False)
    letter(found, 11, "FIELD_TYPE", state="dropped")
    return found


def test_groups_have_counts_and_samples(guard: Guard, owner: User) -> None:
    groups = client_of(owner).get(f"{BASE}dead-letters/groups").json()["results"]
    shown = [(g["reason"], g["kept"], g["waiting"], g["dropped"], g["failed_again"], len(g["samples"])) for g in groups]
    assert shown == [("NOT_JSON", 5, 5, 0, 0, 3), ("FIELD_TYPE", 2, 1, 1, 1, 1)]
    assert groups[1]["samples"][0]["times"] == 2


def test_lists_go_on_where_they_ended(guard: Guard, owner: User) -> None:
    for offset in range(100, 160):
        letter(guard, offset, "NOT_OBJECT")
    client, seen, before = client_of(owner), [], None
    while True:
        page = client.get(f"{BASE}dead-letters", {"reason": "NOT_OBJECT", **({"before": before} if before else {})}).json()
        seen += [row["offset"] for row in page["results"]]
        before = page["next"]
        if before is None:
            break
    assert seen == list(range(159, 99, -1))
    assert [row["offset"] for row in client.get(f"{BASE}dead-letters", {"state": "dropped"}).json()["results"]] == [11]


def test_dropping_needs_a_reason_and_is_on_record(guard: Guard, owner: User) -> None:
    client = client_of(owner)
    assert client.post(f"{BASE}dead-letters/drop", {"reason": "NOT_JSON", "why": " "}).status_code in (400, 422)
    answer = client.post(f"{BASE}dead-letters/drop", {"reason": "NOT_JSON", "why": "a test feed"})
    assert (answer.status_code, answer.json()) == (200, {"dropped": 5})
    assert set(DeadLetter.objects.filter(reason="NOT_JSON").values_list("state", "note")) == {("dropped", "a test feed")}
    assert Event.objects.filter(text="5 dead letters of trades discarded: a test feed", actor="ann").exists()
    assert client.post(f"{BASE}dead-letters/drop", {"reason": "NOT_JSON", "why": "again"}).status_code == 404


@pytest.mark.parametrize("choice", [{}, {"all": True, "reason": "NOT_JSON"}, {"letters": []}])
def test_a_choice_says_one_thing(guard: Guard, owner: User, choice: dict[str, Any]) -> None:
    answer = client_of(owner).post(f"{BASE}redrives", choice)
    assert (answer.status_code, answer.json()["code"]) == (422, "CHOICE_INVALID")


def test_a_redrive_takes_what_waits_and_gives_it_back_when_called_off(guard: Guard, owner: User) -> None:
    client = client_of(owner)
    made = client.post(f"{BASE}redrives", {"all": True, "rate": 50})
    assert made.status_code == 201, made.content
    assert (made.json()["total"], made.json()["state"], made.json()["to"]) == (6, "running", "trades")
    assert client.post(f"{BASE}redrives", {"reason": "NOT_JSON"}).status_code == 404  # each goes once
    letter(guard, 200)
    path = f"{BASE}redrives/{made.json()['id']}"
    assert client.get(path).json()["sent"] == 0
    for _ in range(2):
        assert client.post(f"{path}/cancel").json()["state"] == "cancelled"
    assert DeadLetter.objects.filter(state="waiting", redrive=None).count() == 7
    assert Redrive.objects.count() == 1


def test_only_one_letter_is_edited(guard: Guard, owner: User) -> None:
    answer = client_of(owner).post(f"{BASE}redrives", {"reason": "NOT_JSON", "value": "{}"})
    assert answer.json()["code"] == "ONE_AT_A_TIME"
    assert DeadLetter.objects.filter(state="waiting").count() == 6


def test_a_group_is_edited_by_steps_that_are_on_record(guard: Guard, owner: User) -> None:
    client, steps = client_of(owner), [{"do": "set", "field": "x", "value": 1}, {"do": "remove", "field": "y"}]
    for wrong in ({"edit": [{"do": "set", "field": "x"}]}, {"edit": steps, "letters": [guard.letters.first().pk], "value": "{}"}):  # type: ignore[union-attr]
        answer = client.post(f"{BASE}redrives", {**({} if "letters" in wrong else {"reason": "NOT_JSON"}), **wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, "EDIT_INVALID")
    made = client.post(f"{BASE}redrives", {"reason": "NOT_JSON", "edit": steps})
    assert made.status_code == 201, made.content
    assert (made.json()["edited"], made.json()["edit"], made.json()["total"]) == (True, ["x set to 1", "y removed"], 5)
    assert Event.objects.filter(text__contains="(edit: x set to 1; y removed)").exists()


def test_another_workspaces_letters_and_streams_are_not_there(guard: Guard, owner: User) -> None:
    eve = create_user("eve")
    other = workspace_of(eve, "other")
    theirs = guarded(other, name="theirs", topic="theirs")
    hidden = letter(theirs, 1)
    client = client_of(owner)
    for path in (f"dead-letters/{hidden.pk}", "redrives/nobody"):
        assert client.get(BASE + path).status_code == 404
    assert client.post(f"{BASE}redrives", {"letters": [hidden.pk]}).status_code == 404
    assert client.post(f"{BASE}redrives", {"reason": "NOT_JSON", "to": "theirs"}).status_code == 404
    assert client.post(f"{BASE}dead-letters/drop", {"letters": [hidden.pk], "why": "x"}).status_code == 404
    assert client.post(f"{BASE}dead-letters/preview", {"letters": [hidden.pk], "edit": []}).status_code == 404
    assert client.post(f"{BASE}dead-letters/preview", {"reason": "NOT_JSON", "edit": [], "to": "theirs"}).status_code == 404
    hidden.refresh_from_db()
    assert hidden.state == "waiting"
