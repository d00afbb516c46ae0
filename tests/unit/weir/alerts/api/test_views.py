"""The routes of alerts, as the interface uses them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from jobs.encryption import add_key, read_keys
from tests.support.alerting import World, channel, metric_rule, row_rule
from tests.support.users import client_of, member
from weir.alerts.models import Alert, AlertRule, Channel
from weir.alerts.services.channels import delete_channel
from weir.alerts.services.outbox import sent, take
from weir.alerts.services.rule_document import UNREADABLE
from weir.alerts.services.sealing import unseal
from weir.clusters.services.passwords import rotate_passwords
from weir.runs.services.connection_rollout import encrypted_with_older_keys
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops"


@pytest.fixture
def world(workspace: Workspace, owner: User, settings: Settings) -> World:
    settings.PRIVATE_WEBHOOKS = True
    return World(workspace, owner)


@pytest.fixture
def editor(world: World) -> Client:
    return client_of(member(world.workspace, "ed", Role.EDITOR))


def test_a_rule_from_check_to_deletion(world: World, editor: Client) -> None:
    world.rows({"low": 1.0}, {"symbol": "B", "low": 9.0})
    document = row_rule(world.job)
    checked = editor.post(f"{BASE}/alert-rules/check", {"document": document}).json()
    assert (checked["problems"], checked["condition"]) == ([], "low < 5")
    assert (checked["preview"]["fired"], checked["preview"]["groups"], checked["preview"]["looked_at"]) == (
        1,
        1,
        2,
    )
    wrong = editor.post(f"{BASE}/alert-rules/check", {"document": row_rule(world.job, "gone > 1")}).json()
    assert wrong["problems"][0]["path"] == ["watch", "where"]
    made = editor.post(f"{BASE}/alert-rules", {"name": "Low", "document": document})
    assert made.status_code == 201, made.content
    rule = made.json()
    again = editor.post(f"{BASE}/alert-rules", {"name": "Low", "document": document})
    assert (again.status_code, again.json()["code"]) == (409, "NAME_TAKEN")
    change = {"name": "Low", "document": {**rule["document"], "hold": "1m"}, "enabled": False, "revision": 1}
    assert editor.put(f"{BASE}/alert-rules/{rule['id']}", change).json()["revision"] == 2
    outdated = editor.put(f"{BASE}/alert-rules/{rule['id']}", change)
    assert (outdated.status_code, outdated.json()["code"]) == (409, "REVISION_OUTDATED")
    assert editor.delete(f"{BASE}/alert-rules/{rule['id']}").status_code == 204
    actions = Event.objects.filter(kind="alert").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["created", "changed", "deleted"]


def test_a_rule_whose_channel_was_deleted_is_turned_on_again_without_it(world: World, editor: Client) -> None:
    """Others are told then; nothing has to be chosen first."""
    hook, kept = channel(world.workspace), channel(world.workspace, "kept")
    rule = world.rule(row_rule(world.job, channels=[hook.pk, kept.pk]))
    delete_channel(hook, world.owner)
    address = f"{BASE}/alert-rules/{rule.pk}"
    change = {"name": rule.name, "document": editor.get(address).json()["document"]}
    assert editor.put(address, {**change, "enabled": False, "revision": 1}).status_code == 200
    on = editor.put(address, {**change, "enabled": True, "revision": 2})
    assert (on.status_code, on.json()["document"]["channels"]) == (200, [kept.pk])
    unknown = {**change, "document": {**change["document"], "channels": ["neverthere"]}}
    refused = editor.put(address, {**unknown, "enabled": True, "revision": 3})
    assert (refused.status_code, refused.json()["code"]) == (422, "RULE_INVALID")


@pytest.mark.parametrize("gone", ["field", "form"])
def test_a_rule_with_a_problem_is_turned_off_but_not_on(world: World, editor: Client, gone: str) -> None:
    rule = world.rule(row_rule(world.job))
    watch = {"kind": "gone"} if gone == "form" else {**rule.document["watch"], "where": "gone > 1"}
    AlertRule.objects.filter(pk=rule.pk).update(document={**rule.document, "watch": watch})
    address = f"{BASE}/alert-rules/{rule.pk}"
    before = editor.get(address).json()
    change = {"name": before["name"], "document": before["document"]}
    off = editor.put(address, {**change, "enabled": False, "revision": 1})
    assert off.status_code == 200, off.content
    assert {**off.json(), "changed_at": None} == {
        **before, "enabled": False, "revision": 2, "changed_by": "ed", "changed_at": None
    }  # fmt: skip
    on = editor.put(address, {**change, "enabled": True, "revision": 2})
    assert (on.status_code, on.json()["code"]) == (422, "RULE_INVALID")
    other = {**before["document"], "hold": "1m"}
    changed = editor.put(address, {**change, "document": other, "enabled": False, "revision": 2})
    assert (changed.status_code, changed.json()["code"]) == (422, "RULE_INVALID")


def test_rules_are_listed_by_name(world: World, editor: Client) -> None:
    for name in ("c", "a", "b"):
        AlertRule.objects.create(
            workspace=world.workspace, name=name, document=metric_rule("job.failed", above=0)
        )
    assert [rule["name"] for rule in editor.get(f"{BASE}/alert-rules").json()["results"]] == ["a", "b", "c"]


def test_a_rule_of_the_beginning_is_turned_off_and_not_deleted(world: World, editor: Client) -> None:
    AlertRule.objects.create(
        workspace=world.workspace,
        name="Job failed",
        document=metric_rule("job.failed", above=0),
        template="job-failed",
    )
    (rule,) = editor.get(f"{BASE}/alert-rules").json()["results"]
    answer = editor.delete(f"{BASE}/alert-rules/{rule['id']}")
    assert (answer.status_code, answer.json()["code"]) == (409, "RULE_OF_TEMPLATE")


def test_a_rule_is_deleted_once_channels_know_the_end_of_its_alerts(world: World, editor: Client) -> None:
    """Else an incident stays open there for ever."""
    hook = channel(world.workspace)
    alert = fired(world)
    address = f"{BASE}/alert-rules/{alert.rule_id}"
    refused = editor.delete(address)
    assert (refused.status_code, refused.json()["code"]) == (409, "RULE_FIRES")
    rule = editor.get(address).json()
    off = {"name": rule["name"], "document": rule["document"], "enabled": False, "revision": rule["revision"]}
    assert editor.put(address, off).status_code == 200
    assert editor.delete(address).status_code == 409
    world.follow()
    assert editor.delete(address).status_code == 409  # the end is not delivered yet
    taken = take(hook, 50)
    assert [one.change for one in taken] == ["fired"]
    sent(taken)
    taken = take(hook, 50)
    assert [one.change for one in taken] == ["resolved"]
    sent(taken)
    assert editor.delete(address).status_code == 204


@pytest.mark.parametrize("kept", ["no channel", "turned off", "unreadable"])
def test_a_rule_is_deleted_where_no_channel_can_learn_of_the_end(
    world: World, editor: Client, kept: str
) -> None:
    if kept != "no channel":
        channel(world.workspace)
    alert = fired(world)
    if kept == "turned off":
        Channel.objects.update(enabled=False)
    if kept == "unreadable":
        AlertRule.objects.update(problem=UNREADABLE)
    assert editor.delete(f"{BASE}/alert-rules/{alert.rule_id}").status_code == 204


def test_quotas(world: World, editor: Client, settings: Settings) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "alert_rules": 0}
    answer = editor.post(f"{BASE}/alert-rules", {"name": "x", "document": row_rule(world.job)})
    assert (answer.status_code, answer.json()["code"]) == (422, "QUOTA_REACHED")


def fired(world: World) -> Alert:
    world.rule(row_rule(world.job))
    world.rows({"low": 1.0})
    return Alert.objects.get()


def test_an_alert_is_listed_read_acknowledged_and_silenced(world: World, editor: Client) -> None:
    alert = fired(world)
    viewer = client_of(member(world.workspace, "vic", Role.VIEWER))
    (row,) = viewer.get(f"{BASE}/alerts?state=open&job={world.job.pk}").json()["results"]
    assert (row["id"], row["state"], row["silenced"], row["row"]["low"]) == (alert.pk, "firing", False, 1.0)
    assert viewer.get(f"{BASE}/alerts?state=resolved").json()["results"] == []
    assert viewer.get(f"{BASE}/alerts/seen").json()["seen_at"] is None
    until = row["fired_at"]
    assert viewer.put(f"{BASE}/alerts/seen", {"until": until}).json()["seen_at"] == until, (
        "not another's since"
    )
    assert viewer.put(f"{BASE}/alerts/seen").json()["seen_at"] > until
    assert viewer.put(f"{BASE}/alerts/seen", {"until": until}).json()["seen_at"] > until, "seen stays seen"
    assert viewer.post(f"{BASE}/alerts/{alert.pk}/acknowledge").status_code == 403
    assert editor.post(f"{BASE}/alerts/{alert.pk}/acknowledge").json()["acknowledged_by"] == "ed"
    ends_at = (timezone.now() + timedelta(hours=1)).isoformat()
    made = editor.post(f"{BASE}/silences", {"alert_id": alert.pk, "ends_at": ends_at})
    assert made.status_code == 201, made.content
    assert viewer.get(f"{BASE}/alerts/{alert.pk}").json()["silenced"]
    assert editor.delete(f"{BASE}/silences/{made.json()['id']}").status_code == 204
    assert not viewer.get(f"{BASE}/alerts/{alert.pk}").json()["silenced"]


@pytest.mark.parametrize(
    "query",
    ["state=x", "before=x", "before=9999999999-01-01T00:00:00Z", "before=0001-01-01T00:00:00%2B14:00"],
)
def test_odd_queries(world: World, editor: Client, query: str) -> None:
    assert editor.get(f"{BASE}/alerts?{query}").status_code == 400


@pytest.mark.parametrize("page", ["alerts", "notifications"])
def test_a_time_without_a_zone_is_utc_as_everywhere(world: World, editor: Client, page: str) -> None:
    assert editor.get(f"{BASE}/{page}?before=2026-01-01T00:00:00").status_code == 200


def test_pages(world: World, editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.alerts.services.queries.PAGE", 2)
    rule = world.rule(row_rule(world.job))
    now = timezone.now()
    for at in range(5):
        since = now - timedelta(minutes=at)
        Alert.objects.create(
            workspace=world.workspace,
            rule=rule,
            severity="info",
            digest=str(at),
            title=str(at),
            state="resolved",
            since=since,
            last_met_at=since,
        )
    found: list[str] = []
    query: dict[str, Any] = {}
    while True:
        page = editor.get(f"{BASE}/alerts", query).json()
        found += [row["title"] for row in page["results"]]
        if page["next"] is None:
            break
        query = {"before": page["next"]}
    assert found == ["0", "1", "2", "3", "4"]


def test_a_channels_secrets_are_never_seen_again(world: World, owner: User) -> None:
    client = client_of(owner)
    body = {"name": "hook", "kind": "webhook", "address": "http://127.0.0.1:9/secret-path?token=hidden"}
    made = client.post(f"{BASE}/alert-channels", body)
    assert made.status_code == 201, made.content
    secret = made.json()["secret"]
    assert len(secret) >= 32
    listed = client.get(f"{BASE}/alert-channels").content.decode()
    assert "secret-path" not in listed
    assert secret not in listed
    assert not [event for event in Event.objects.all() if "secret-path" in event.text or secret in event.text]
    assert unseal(Channel.objects.get())["url"] == body["address"]
    test = client.post(f"{BASE}/alert-channels/{made.json()['id']}/test")
    assert (test.status_code, test.json()["state"]) == (202, "waiting")


@pytest.mark.parametrize(
    ("kind", "address", "code"),
    [
        ("email", "a@example.com", "EMAIL_NOT_CONFIGURED"),
        ("pagerduty", "short", "ADDRESS_INVALID"),
        ("slack", "https://localhost/x", "ADDRESS_FORBIDDEN"),
        ("teams", "http://8.8.8.8/x", "ADDRESS_FORBIDDEN"),
        ("webhook", "https://169.254.169.254/latest", "ADDRESS_FORBIDDEN"),
    ],
)
def test_addresses_that_are_refused(
    world: World, owner: User, settings: Settings, kind: str, address: str, code: str
) -> None:
    settings.PRIVATE_WEBHOOKS = False
    settings.EMAIL_HOST = ""
    answer = client_of(owner).post(f"{BASE}/alert-channels", {"name": "x", "kind": kind, "address": address})
    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_channels_follow_a_rotation_of_keys(
    world: World, owner: User, settings: Settings, tmp_path: Any
) -> None:
    settings.ENCRYPTION_KEY_FILE = tmp_path / "keys"
    body = {"name": "hook", "kind": "slack", "address": "http://127.0.0.1:9/x"}
    client_of(owner).post(f"{BASE}/alert-channels", body)
    add_key(settings.ENCRYPTION_KEY_FILE)
    assert encrypted_with_older_keys() == ["the channel hook of ops"]
    rotate_passwords()
    assert encrypted_with_older_keys() == []
    assert Channel.objects.get().sealed.split(":")[1] == read_keys(settings.ENCRYPTION_KEY_FILE).keys[0][0]
    assert unseal(Channel.objects.get())["url"] == body["address"]


def test_an_objective_with_its_history(world: World, editor: Client) -> None:
    body = {"job_id": world.job.pk, "kind": "freshness", "threshold": 10, "target": 0.99}
    made = editor.post(f"{BASE}/objectives", body)
    assert made.status_code == 201, made.content
    assert editor.post(f"{BASE}/objectives", body).json()["code"] == "OBJECTIVE_EXISTS"
    found = editor.get(f"{BASE}/objectives/{made.json()['id']}").json()
    assert (found["history"], found["budget"]["left"], found["job"]) == ([], None, world.job.name)
    assert editor.delete(f"{BASE}/objectives/{made.json()['id']}").status_code == 204
    assert editor.get(f"{BASE}/objectives").json()["results"] == []


def test_alerts_that_began_together_come_on_one_page(world: World, editor: Client) -> None:
    """A page begins with an instant, so it could leave out those of the same that the one before had no room
    for.
    """
    rule = world.rule(metric_rule("job.lag_seconds", above=1))
    at = timezone.now()
    begins = [at] * 3 + [at - timedelta(seconds=1)] * 120 + [at - timedelta(seconds=2)] * 90
    Alert.objects.bulk_create(
        Alert(
            workspace=world.workspace, rule=rule, severity="info", digest=str(number), title=str(number),
            state="firing", since=since, last_met_at=since,
        )
        for number, since in enumerate(begins)
    )  # fmt: skip
    first = editor.get(f"{BASE}/alerts").json()
    second = editor.get(f"{BASE}/alerts", {"before": first["next"]}).json()
    assert [len(first["results"]), len(second["results"]), second["next"]] == [123, 90, None]
    shown = {alert["title"] for alert in [*first["results"], *second["results"]]}
    assert len(shown) == len(begins)


def test_alerts_and_rules_are_listed_beside_a_rule_that_cannot_be_read(world: World, editor: Client) -> None:
    rule = world.rule(row_rule(world.job))
    world.rows({"low": 1.0})
    AlertRule.objects.filter(pk=rule.pk).update(document={"watch": {"kind": "gone"}})
    (alert,) = editor.get(f"{BASE}/alerts").json()["results"]
    (listed,) = editor.get(f"{BASE}/alert-rules").json()["results"]
    assert (alert["condition"], listed["condition"]) == ("low < 5", UNREADABLE)
    assert editor.post(f"{BASE}/alerts/{alert['id']}/acknowledge").status_code == 200
