"""A workspace's receiver by REST."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from jobs.encryption import Keyring
from tests.support.users import client_of, member
from weir.clusters.services.keyring import keyring
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services import sealing
from weir.openlineage.services.queries import receiver_of
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.members import create_workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
PATH = "/api/v1/workspaces/ops/openlineage"
SET = {"url": "http://127.0.0.1:9/api/v1/lineage", "namespace": "prod", "key": "k-secret", "enabled": True}


@pytest.fixture
def ann(owner: User, workspace: Workspace, settings: Settings) -> Client:
    settings.PRIVATE_WEBHOOKS = True
    return client_of(owner)


def put(client: Client, **change: object) -> "tuple[int, dict[str, object]]":
    answer = client.put(PATH, {**SET, **change}, format="json")
    return answer.status_code, answer.json()


def test_set_read_test_and_delete(ann: Client, workspace: Workspace) -> None:
    assert ann.get(PATH).json() == {"receiver": None}
    assert put(ann)[0] == 200
    viewer = client_of(member(workspace, "vic", Role.VIEWER))
    shown = viewer.get(PATH)
    assert "k-secret" not in shown.content.decode()
    assert shown.json()["receiver"] == {
        "url": SET["url"], "namespace": "prod", "enabled": True, "has_key": True, "revision": 1,
        "sent_at": None, "failed_at": None, "error": "", "attempts": 0, "waiting": 0, "waiting_since": None,
        "next_try_at": None, "sent": 0, "failed": 0,
    }  # fmt: skip
    assert "k-secret" not in LineageReceiver.objects.get().sealed_key
    tested = ann.post(f"{PATH}/test").json()
    assert tested["waiting"] == 1
    assert tested["waiting_since"] <= tested["next_try_at"]
    assert ann.delete(PATH).status_code == 204
    assert ann.post(f"{PATH}/test").status_code == 404
    assert not LineageEvent.objects.exists()
    events = Event.objects.filter(kind="lineage").order_by("id")
    assert [event.action for event in events] == ["created", "tested", "deleted"]
    assert "k-secret" not in "".join(event.text for event in events)


def test_one_that_was_removed_does_not_come_back_by_a_change_of_it(ann: Client) -> None:
    assert put(ann)[0] == 200
    assert ann.delete(PATH).status_code == 204
    status, answer = put(ann, revision=1)
    assert (status, answer["code"]) == (409, "REVISION_OUTDATED")
    assert ann.get(PATH).json() == {"receiver": None}
    assert put(ann, revision=None)[0] == 200


def event(number: int, state: str, **more: object) -> LineageEvent:
    return LineageEvent(
        receiver=LineageReceiver.objects.get(),
        type="START",
        run_id=f"run-{number}",
        epoch=1,
        job_name="stats",
        state=state,
        **more,
    )


def test_what_came_of_events_is_told_in_one_query(
    ann: Client, workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    put(ann)
    now = timezone.now()
    later = now + timedelta(minutes=5)
    states = ["sent", "sent", "failed", "waiting", "waiting"]
    LineageEvent.objects.bulk_create(
        event(at, state, created_at=now - timedelta(hours=at)) for at, state in enumerate(states)
    )
    LineageReceiver.objects.update(due_at=later)
    with django_assert_num_queries(1):
        assert receiver_of(workspace) is not None
    shown = ann.get(PATH).json()["receiver"]
    assert (shown["sent"], shown["failed"], shown["waiting"]) == (2, 1, 2)
    assert datetime.fromisoformat(shown["waiting_since"]) == now - timedelta(hours=4)
    assert datetime.fromisoformat(shown["next_try_at"]) == later
    assert put(ann, enabled=False)[1]["next_try_at"] is None


def test_the_log_has_pages_and_a_filter(ann: Client) -> None:
    put(ann)
    LineageEvent.objects.bulk_create(event(at, "failed" if at % 2 else "sent") for at in range(120))
    pages, before = [], ""
    while before is not None:
        page = ann.get(f"{PATH}/events?state=failed{before and f'&before={before}'}").json()
        pages.append([one["id"] for one in page["results"]])
        before = page["next"]
    listed = [one for page in pages for one in page]
    assert [len(page) for page in pages] == [50, 10]
    assert listed == sorted(set(listed), reverse=True)
    assert len(ann.get(f"{PATH}/events").json()["results"]) == 50
    for wrong in ("state=lost", "before=x", "before=-1"):
        assert ann.get(f"{PATH}/events?{wrong}").status_code in (400, 422)


def test_the_log_is_of_the_workspace_alone(ann: Client, owner: User) -> None:
    put(ann)
    event(1, "sent").save()
    other = create_workspace("other", "Other", owner)
    assert ann.get(f"/api/v1/workspaces/{other.slug}/openlineage/events").json()["results"] == []


def test_a_key_stays_with_its_host(ann: Client) -> None:
    put(ann)
    assert put(ann, key=None, url="http://127.0.0.1:9/other")[1]["has_key"] is True
    status, answer = put(ann, key=None, url="http://127.0.0.2:9/other")
    assert (status, answer["code"]) == (422, "KEY_NEEDED")
    assert put(ann, key="", url="http://127.0.0.2:9/other")[1]["has_key"] is False


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/x", "https://10.0.0.1/x",
        "http://example.com/x", "https://me:pw@example.com/x", "ftp://example.com", "https://1.1.1.1/?key=1",
    ],
)  # fmt: skip
def test_addresses_that_are_refused(ann: Client, settings: Settings, url: str) -> None:
    settings.PRIVATE_WEBHOOKS = False
    status, answer = put(ann, url=url)
    assert (status, answer["code"]) == (422, "ADDRESS_FORBIDDEN")
    assert not LineageReceiver.objects.exists()


def test_one_that_is_off_is_not_tested(ann: Client) -> None:
    put(ann, enabled=False)
    answer = ann.post(f"{PATH}/test")
    assert (answer.status_code, answer.json()["code"]) == (409, "RECEIVER_DISABLED")


def test_keys_move_to_a_new_encryption_key(ann: Client) -> None:
    put(ann)
    ring: Keyring = keyring()
    sealing.rotate(ring)
    assert sealing.unseal(LineageReceiver.objects.get()) == "k-secret"
    assert sealing.with_older_keys("another") == ["the OpenLineage receiver of ops"]
