"""Dead letters by reason, discarding, selections, and redrives that are started and cancelled."""

from typing import Any

import pytest

from tests.support.users import client_of, create_user, workspace_of
from tests.support.validator_factories import create_dead_letter, create_validator
from weir.dead_letters.models import DeadLetter, Redrive, Validator
from weir.dead_letters.services import indexing
from weir.dead_letters.services.edits import apply_operations, load_edit
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops/streams/trades/"


@pytest.fixture
def validator(workspace: Workspace) -> Validator:
    found = create_validator(workspace)
    for offset in range(5):
        create_dead_letter(found, offset)
    create_dead_letter(found, 10, "FIELD_TYPE", redrive_count=2, preview="00ff", preview_is_text=False)
    create_dead_letter(found, 11, "FIELD_TYPE", state="discarded")
    return found


def test_groups_have_counts_and_samples(validator: Validator, owner: User) -> None:
    groups = client_of(owner).get(f"{BASE}dead-letters/groups").json()["results"]
    shown = [
        (g["reason"], g["kept"], g["waiting"], g["discarded"], g["failed_again"], len(g["samples"]))
        for g in groups
    ]
    assert shown == [("NOT_JSON", 5, 5, 0, 0, 3), ("FIELD_TYPE", 2, 1, 1, 1, 1)]
    assert groups[1]["samples"][0]["redrive_count"] == 2


def test_lists_go_on_where_they_ended(validator: Validator, owner: User) -> None:
    for offset in range(100, 160):
        create_dead_letter(validator, offset, "NOT_OBJECT")
    client, seen, before = client_of(owner), [], None
    while True:
        page = client.get(
            f"{BASE}dead-letters", {"reason": "NOT_OBJECT", **({"before": before} if before else {})}
        ).json()
        seen += [row["offset"] for row in page["results"]]
        before = page["next"]
        if before is None:
            break
    assert seen == list(range(159, 99, -1))
    assert [
        row["offset"] for row in client.get(f"{BASE}dead-letters", {"state": "discarded"}).json()["results"]
    ] == [11]


def test_discarding_needs_a_reason_and_is_on_record(validator: Validator, owner: User) -> None:
    client = client_of(owner)
    assert client.post(f"{BASE}dead-letters/discard", {"reason": "NOT_JSON", "note": " "}).status_code in (
        400,
        422,
    )
    answer = client.post(f"{BASE}dead-letters/discard", {"reason": "NOT_JSON", "note": "a test feed"})
    assert (answer.status_code, answer.json()) == (200, {"discarded": 5})
    assert set(DeadLetter.objects.filter(reason="NOT_JSON").values_list("state", "note")) == {
        ("discarded", "a test feed")
    }
    assert Event.objects.filter(text="5 dead letters of trades discarded: a test feed", actor="ann").exists()
    assert (
        client.post(f"{BASE}dead-letters/discard", {"reason": "NOT_JSON", "note": "again"}).status_code == 404
    )


@pytest.mark.parametrize("selection", [{}, {"all": True, "reason": "NOT_JSON"}, {"ids": []}])
def test_a_selection_has_one_criterion(validator: Validator, owner: User, selection: dict[str, Any]) -> None:
    answer = client_of(owner).post(f"{BASE}redrives", selection)
    assert (answer.status_code, answer.json()["code"]) == (422, "SELECTION_INVALID")


@pytest.mark.parametrize(
    "more", [{"Ids": [1]}, {"edit": [{"op": "set", "field": "x", "value": 0, "onlyMissing": True}]}]
)
def test_a_misspelt_member_does_not_widen_a_redrive(
    validator: Validator, owner: User, more: dict[str, Any]
) -> None:
    answer = client_of(owner).post(f"{BASE}redrives", {"reason": "NOT_JSON", **more}, format="json")
    assert answer.status_code == 400, answer.content
    assert "Not a field of this request." in answer.content.decode()


def test_a_redrive_takes_what_waits_and_gives_it_back_when_called_off(
    validator: Validator, owner: User
) -> None:
    client = client_of(owner)
    made = client.post(f"{BASE}redrives", {"all": True, "rate": 50})
    assert made.status_code == 201, made.content
    assert (made.json()["total"], made.json()["state"], made.json()["to"]) == (6, "running", "trades")
    assert client.post(f"{BASE}redrives", {"reason": "NOT_JSON"}).status_code == 404  # each goes once
    create_dead_letter(validator, 200)
    path = f"{BASE}redrives/{made.json()['id']}"
    assert client.get(path).json()["sent"] == 0
    for _ in range(2):
        assert client.post(f"{path}/cancel").json()["state"] == "cancelled"
    assert DeadLetter.objects.filter(state="waiting", redrive=None).count() == 7
    assert Redrive.objects.count() == 1


def test_only_one_letter_is_edited(validator: Validator, owner: User) -> None:
    answer = client_of(owner).post(f"{BASE}redrives", {"reason": "NOT_JSON", "value": "{}"})
    assert answer.json()["code"] == "ONE_AT_A_TIME"
    assert DeadLetter.objects.filter(state="waiting").count() == 6


def test_a_group_is_edited_by_operations_that_are_on_record(validator: Validator, owner: User) -> None:
    client, operations = (
        client_of(owner),
        [{"op": "set", "field": "x", "value": 1}, {"op": "remove", "field": "y"}],
    )
    for wrong in (
        {"edit": [{"op": "set", "field": "x"}]},
        {"edit": operations, "ids": [validator.dead_letters.first().pk], "value": "{}"},
    ):  # type: ignore[union-attr]
        answer = client.post(
            f"{BASE}redrives", {**({} if "ids" in wrong else {"reason": "NOT_JSON"}), **wrong}
        )
        assert (answer.status_code, answer.json()["code"]) == (422, "EDIT_INVALID")
    made = client.post(f"{BASE}redrives", {"reason": "NOT_JSON", "edit": operations})
    assert made.status_code == 201, made.content
    assert (made.json()["edited"], made.json()["edit"], made.json()["total"]) == (
        True,
        ["x set to 1", "y removed"],
        5,
    )
    assert Event.objects.filter(text__contains="(edit: x set to 1; y removed)").exists()


def test_an_edit_keeps_the_digits_of_its_numbers(validator: Validator, owner: User) -> None:
    body = (
        '{"reason":"NOT_JSON","edit":[{"op":"set","field":"amount","value":12345678901234567.89,'
        '"only_missing":false}]}'
    )
    made = client_of(owner).post(f"{BASE}redrives", body, content_type="application/json")
    assert made.json()["edit"] == ["amount set to 12345678901234567.89"]
    shown = client_of(owner).get(f"{BASE}redrives/{made.json()['id']}")
    assert shown.json()["edit"] == ["amount set to 12345678901234567.89"]
    assert (
        apply_operations(b"{}", load_edit(Redrive.objects.get().edit)) == b'{"amount":12345678901234567.89}'
    )


def test_another_workspaces_letters_and_streams_are_not_there(validator: Validator, owner: User) -> None:
    eve = create_user("eve")
    other = workspace_of(eve, "other")
    theirs = create_validator(other, name="theirs", topic="theirs")
    hidden = create_dead_letter(theirs, 1)
    client = client_of(owner)
    for path in (f"dead-letters/{hidden.pk}", "redrives/nobody"):
        assert client.get(BASE + path).status_code == 404
    assert client.post(f"{BASE}redrives", {"ids": [hidden.pk]}).status_code == 404
    assert client.post(f"{BASE}redrives", {"reason": "NOT_JSON", "to": "theirs"}).status_code == 404
    assert client.post(f"{BASE}dead-letters/discard", {"ids": [hidden.pk], "note": "x"}).status_code == 404
    assert client.post(f"{BASE}dead-letters/preview", {"ids": [hidden.pk], "edit": []}).status_code == 404
    assert (
        client.post(
            f"{BASE}dead-letters/preview", {"reason": "NOT_JSON", "edit": [], "to": "theirs"}
        ).status_code
        == 404
    )
    hidden.refresh_from_db()
    assert hidden.state == "waiting"


@pytest.mark.parametrize(
    ("expires", "expected"),
    [(False, (503, "RECORD_NOT_READ")), (True, (404, "DEAD_LETTER_NOT_FOUND"))],
    ids=["not in time", "expired"],
)
def test_a_letter_that_is_not_read_in_time_has_not_expired(
    validator: Validator,
    owner: User,
    monkeypatch: pytest.MonkeyPatch,
    expires: bool,
    expected: tuple[int, str],
) -> None:
    looks: list[list[int]] = []

    def fetch(_: object, letters: list[DeadLetter]) -> tuple[dict[int, Any], set[int]]:
        looks.append([each.pk for each in letters])
        return {}, set(looks[-1]) if expires else set()

    monkeypatch.setattr(indexing, "fetch_messages", fetch)
    letter = DeadLetter.objects.get(offset=1).pk
    shown = client_of(owner).get(f"{BASE}dead-letters/{letter}")
    assert (shown.status_code, shown.json()["code"]) == expected
    redriven = client_of(owner).post(f"{BASE}redrives", {"ids": [letter], "value": "{}"})
    assert redriven.json()["code"] == expected[1]
    assert redriven.status_code == (409 if expires else 503)
    assert looks == [[letter]] * (2 if expires else 4), "the second look waits longer"
    assert DeadLetter.objects.get(pk=letter).state == "waiting"
