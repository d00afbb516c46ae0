"""Notifications on their way out: to a real SMTP server and a real HTTP receiver."""

import hashlib
import hmac
import json
import re
import socket
import time
from datetime import timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from tests.support.alerting import World, row_rule
from tests.support.alerting import channel as hook_without_receiver
from tests.support.receivers import HttpReceiver, http_receiver, smtp_server
from tests.support.users import create_user
from weir.alerts.models import Alert, Channel, Notification, Silence
from weir.alerts.services import delivery, outbox
from weir.alerts.services.channels import change_channel, create_channel, delete_channel, send_test
from weir.alerts.services.delivery import deliver
from weir.alerts.services.lifecycle import acknowledge, create_silence, end_silence
from weir.alerts.services.outbox import due_channels, tell_owed
from weir.alerts.services.rules import change_rule
from weir.workspaces.errors import UNEXPECTED
from weir.workspaces.models import User, Workspace

LATER = ("2026-01-01T00:00:05.000000Z", "2026-01-01T00:00:10.000000Z")

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


@pytest.fixture
def world(workspace: Workspace, owner: User, settings: Settings) -> World:
    settings.PRIVATE_WEBHOOKS = True
    settings.PUBLIC_URL = "https://weir.example.com"
    return World(workspace, owner)


def hook(world: World, receiver: HttpReceiver, kind: str = "webhook", path: str = "x") -> tuple[Channel, str]:
    return create_channel(
        world.workspace, world.owner, kind, kind, f"http://127.0.0.1:{receiver.port}/{path}", "info"
    )


def fired(world: World, *rows: dict[str, Any]) -> None:
    world.rule(row_rule(world.job, severity="critical"))
    world.rows(*rows or ({"low": 1.0},))


def bodies(receiver: HttpReceiver) -> list[Any]:
    return [json.loads(body) for _, _, body in receiver.requests]


def test_a_webhook_is_signed_over_time_and_body(world: World) -> None:
    with http_receiver() as receiver:
        channel, secret = hook(world, receiver, path="a?b=c")
        fired(world)
        assert deliver(channel.pk) is None
        ((path, headers, body),) = receiver.requests
    assert path == "/a?b=c"
    at, mac = (part.partition("=")[2] for part in headers["Weir-Signature"].split(","))
    assert abs(int(at) - time.time()) < 300
    assert hmac.compare_digest(
        mac, hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    )
    told = json.loads(body)
    assert (told["change"], told["severity"], told["rule"]["name"]) == ("fired", "critical", "rule")
    assert headers["Weir-Delivery"] == told["id"] == Notification.objects.get().pk
    (alert,) = told["alerts"]
    assert (alert["condition"], alert["row"]["low"], alert["group"]) == ("low < 5", 1.0, {"symbol": "A"})
    assert alert["link"].startswith("https://weir.example.com/w/ops/alerts?alert=")
    assert Notification.objects.get().state == "sent"


def test_alerts_that_change_together_are_one_message_and_pagerduty_gets_each(
    world: World, settings: Settings
) -> None:
    with http_receiver() as receiver:
        settings.PAGERDUTY_URL = f"http://127.0.0.1:{receiver.port}/pagerduty"
        channel, _ = hook(world, receiver, "slack")
        pager, _ = create_channel(world.workspace, world.owner, "pager", "pagerduty", "0" * 31 + "z", "info")
        fired(world, {"low": 1.0}, {"symbol": "B", "low": 1.0})
        deliver(channel.pk)
        deliver(pager.pk)
        slack, *events = bodies(receiver)
    assert slack["text"] == "[Weir] Fired (critical): rule: 2 alerts"
    assert [event["event_action"] for event in events] == ["trigger", "trigger"]
    assert {event["dedup_key"] for event in events} == set(Alert.objects.values_list("pk", flat=True))


def test_teams_and_slack_make_no_link_or_mention_of_a_value(world: World) -> None:
    with http_receiver() as receiver:
        slack, _ = hook(world, receiver, "slack")
        teams, _ = hook(world, receiver, "teams")
        symbol = "<!channel> [x](https://evil.example) \\[y](https://evil.example)"
        fired(world, {"symbol": symbol, "low": 1.0})
        deliver(slack.pk)
        deliver(teams.pk)
        first, second = bodies(receiver)
    assert "<!channel>" not in first["text"]
    assert {block.get("text", {}).get("type") for block in first["blocks"]} == {"plain_text"}
    for block in second["attachments"][0]["content"]["body"]:
        escaped = re.findall(r"(\\*)\[", block["text"])
        assert len(escaped) >= 2
        assert all(len(backslashes) % 2 for backslashes in escaped), "an even number escapes itself alone"


@pytest.mark.parametrize(
    ("status", "state"), [(503, "waiting"), (429, "waiting"), (404, "failed"), (302, "failed")]
)
def test_what_may_succeed_later_is_tried_again(world: World, status: int, state: str) -> None:
    with http_receiver() as receiver, http_receiver() as elsewhere:
        receiver.status, receiver.headers = status, {"Location": f"http://127.0.0.1:{elsewhere.port}/"}
        channel, _ = hook(world, receiver)
        fired(world)
        wait_s = deliver(channel.pk)
        one = Notification.objects.get()
        assert (one.state, one.attempts) == (state, 1)
        assert str(status) in one.error
        assert (wait_s is None) == (state == "failed")
        assert not elsewhere.requests  # a redirect is not followed
        if state == "failed":
            return
        assert deliver(channel.pk) is None  # it is not due yet
        Notification.objects.update(due_at=timezone.now())
        receiver.status = 200
        deliver(channel.pk)
        assert [body["id"] for body in bodies(receiver)] == [one.pk, one.pk]
    assert Notification.objects.get().state == "sent"


@pytest.mark.parametrize(
    ("asked", "waited"), [("120", 120), ("1", 10), ("86400", 3_600), ("soon", 10), ("-5", 10), ("", 10)]
)
def test_a_receiver_says_when_to_come_again(world: World, asked: str, waited: int) -> None:
    with http_receiver() as receiver:
        receiver.status, receiver.headers = 429, {"Retry-After": asked}
        channel, _ = hook(world, receiver)
        fired(world)
        before = timezone.now()
        assert deliver(channel.pk) == waited
        assert Notification.objects.get().due_at >= before + timedelta(seconds=waited)


def test_a_day_without_success_is_given_up(world: World) -> None:
    with http_receiver() as receiver:
        receiver.status = 500
        channel, _ = hook(world, receiver)
        fired(world)
        Notification.objects.update(created_at=timezone.now() - timedelta(hours=25))
        assert deliver(channel.pk) is None
    assert Notification.objects.get().state == "failed"


def test_one_that_is_given_up_gives_up_no_other_of_its_message(world: World) -> None:
    with http_receiver() as receiver:
        receiver.status = 500
        channel, _ = hook(world, receiver)
        fired(world, {"low": 1.0}, {"symbol": "B", "low": 1.0})
        old = Notification.objects.filter(alert__group={"symbol": "A"})
        old.update(created_at=timezone.now() - timedelta(hours=25), attempts=50)
        assert deliver(channel.pk) == 10
        assert [len(body["alerts"]) for body in bodies(receiver)] == [2]
    states = dict(Notification.objects.values_list("alert__group__symbol", "state"))
    assert states == {"A": "failed", "B": "waiting"}


def test_two_workers_never_take_the_same_and_a_dead_ones_comes_back(world: World) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
    fired(world)
    (taken,) = outbox.take(channel, 50)
    assert outbox.take(channel, 50) == []
    Notification.objects.update(due_at=timezone.now())  # its worker was killed a minute ago
    (again,) = outbox.take(channel, 50)
    assert (again.pk, again.attempts) == (taken.pk, 2)


def test_email_arrives_once_with_all_recipients(world: World, settings: Settings) -> None:
    with smtp_server() as (mailbox, port):
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        channel, secret = create_channel(
            world.workspace, world.owner, "mail", "email", "a@example.com, b@example.com", "info"
        )
        assert secret == ""
        fired(world)
        mailbox.answer = "451 Later"
        assert deliver(channel.pk) is not None
        mailbox.answer = "250 OK"
        Notification.objects.update(due_at=timezone.now())
        assert deliver(channel.pk) is None
    ((sender, recipients, content),) = mailbox.mails
    mail = message_from_bytes(content, policy=policy.default)
    assert (sender, recipients) == ("weir@localhost", ["a@example.com", "b@example.com"])
    assert mail["Subject"] == f"[Weir] Fired (critical): rule: Job {world.job.name}: symbol = A"
    body = mail.get_body()
    assert body is not None
    assert "low = 1.0" in body.get_content()
    assert "https://weir.example.com/w/ops/alerts?alert=" in body.get_content()


@pytest.mark.parametrize(
    ("answer", "state"), [("450 4.2.0 Greylisted", "waiting"), ("550 5.1.1 No such user", "failed")]
)
def test_recipients_that_are_refused_for_now_are_tried_again(
    world: World, settings: Settings, answer: str, state: str
) -> None:
    with smtp_server() as (mailbox, port):
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        channel, _ = create_channel(world.workspace, world.owner, "mail", "email", "a@example.com", "info")
        fired(world)
        mailbox.recipients_answer = answer
        assert (deliver(channel.pk) is not None) == (state == "waiting")
        assert Notification.objects.get().state == state


def email_to_three(world: World, settings: Settings, port: int) -> Channel:
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    channel, _ = create_channel(
        world.workspace, world.owner, "mail", "email", "a@example.com, b@example.com, c@example.com", "info"
    )
    return channel


def test_who_is_refused_for_now_gets_it_later_and_the_others_once(world: World, settings: Settings) -> None:
    with smtp_server() as (mailbox, port):
        channel = email_to_three(world, settings, port)
        fired(world)
        mailbox.answers = {"b@example.com": "450 4.2.0 Greylisted"}
        deliver(channel.pk)
        one = Notification.objects.get()
        assert (one.state, one.refused) == ("waiting", {"b@example.com": 450})
        assert "refused b@example.com (450)" in one.error
        Notification.objects.update(due_at=timezone.now())
        deliver(channel.pk)
        assert Notification.objects.get().state == "waiting"
        mailbox.answers = {}
        Notification.objects.update(due_at=timezone.now())
        deliver(channel.pk)
    told = [recipients for _, recipients, _ in mailbox.mails]
    assert told == [["a@example.com", "c@example.com"], ["b@example.com"]]
    one = Notification.objects.get()
    assert (one.state, one.error, one.attempts) == ("sent", "", 3)


def test_the_log_names_who_never_got_an_email(world: World, settings: Settings) -> None:
    with smtp_server() as (mailbox, port):
        channel = email_to_three(world, settings, port)
        fired(world)
        mailbox.answers = {"b@example.com": "450 4.2.0 Greylisted", "c@example.com": "550 5.1.1 No such user"}
        deliver(channel.pk)
        assert Notification.objects.get().state == "waiting"
        mailbox.answers = {}
        mailbox.answer = "451 Later"
        Notification.objects.update(due_at=timezone.now())
        deliver(channel.pk)
        one = Notification.objects.get()
        assert one.state == "waiting"
        assert one.error.endswith("Refused before: b@example.com (450), c@example.com (550).")
        mailbox.answer = "250 OK"
        Notification.objects.update(due_at=timezone.now())
        deliver(channel.pk)
    assert [recipients for _, recipients, _ in mailbox.mails] == [["a@example.com"], ["b@example.com"]]
    one = Notification.objects.get()
    assert (one.state, one.error) == (
        "failed",
        "The SMTP server refused c@example.com (550). The other recipients got the e-mail.",
    )


def test_a_server_that_hangs_up_among_the_recipients_gave_it_to_nobody(
    world: World, settings: Settings
) -> None:
    with smtp_server() as (mailbox, port):
        channel = email_to_three(world, settings, port)
        fired(world)
        mailbox.answers = {"b@example.com": "421 4.3.2 Closing"}
        assert deliver(channel.pk) is not None
        mailbox.answers = {}
        Notification.objects.update(due_at=timezone.now())
        deliver(channel.pk)
    assert [len(recipients) for _, recipients, _ in mailbox.mails] == [3]


def test_who_refuses_an_email_keeps_no_news_and_no_later_alert_from_the_others(
    world: World, settings: Settings
) -> None:
    with smtp_server() as (mailbox, port):
        channel = email_to_three(world, settings, port)
        mailbox.answers = {"b@example.com": "452 4.2.2 Mailbox full"}
        fired(world)
        deliver(channel.pk)
        world.rows({"low": 9.0}, window=LATER)
        world.rows({"symbol": "B", "low": 1.0}, window=LATER)
        Notification.objects.update(due_at=timezone.now())
        deliver(channel.pk)
    assert [recipients for _, recipients, _ in mailbox.mails] == [["a@example.com", "c@example.com"]] * 3
    subjects = [message_from_bytes(content)["Subject"] for _, _, content in mailbox.mails]
    assert [subject.split()[1] for subject in subjects] == ["Fired", "Resolved", "Fired"]


def test_a_subject_has_one_line_whatever_a_row_says(world: World, settings: Settings) -> None:
    with smtp_server() as (mailbox, port):
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        channel, _ = create_channel(world.workspace, world.owner, "mail", "email", "a@example.com", "info")
        fired(world, {"symbol": "A\r\nBcc: everybody@example.com", "low": 1.0})
        deliver(channel.pk)
    ((_, recipients, content),) = mailbox.mails
    assert recipients == ["a@example.com"]
    assert message_from_bytes(content, policy=policy.default)["Bcc"] is None


def test_a_slow_smtp_server_gets_an_e_mail_once(world: World, settings: Settings) -> None:
    """Twenty recipients take minutes, and another worker looks every ten seconds."""
    settings.EMAIL_HOST = "127.0.0.1"
    mail, _ = create_channel(world.workspace, world.owner, "mail", "email", "a@example.com", "info")
    pager = hook_without_receiver(world.workspace)
    fired(world)
    for channel, claimed in ((mail, outbox.EMAIL_TIMEOUT), (pager, outbox.SEND_TIMEOUT)):
        (taken,) = outbox.take(channel, 1)
        taken.refresh_from_db()
        assert taken.due_at > timezone.now() + claimed - timedelta(seconds=30)
        assert outbox.take(channel, 1) == []


def test_a_test_message(world: World) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        send_test(channel, world.owner)
        deliver(channel.pk)
        assert bodies(receiver)[0]["change"] == "test"


def test_what_is_told_is_the_condition_that_was_met(world: World) -> None:
    """Whatever the rule watches by now."""
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        fired(world)
        rule = Alert.objects.get().rule
        change_rule(rule, world.owner, "rule", row_rule(world.job, "low > 7"), rule.revision, enabled=True)
        world.follow()
        while due_channels():
            deliver(channel.pk)
        told = [(body["change"], body["alerts"][0]["condition"]) for body in bodies(receiver)]
    assert told == [("fired", "low < 5"), ("resolved", "low < 5")]


def test_acknowledged_once(world: World) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        fired(world)
        alert = Alert.objects.get()
        for _ in range(2):
            acknowledge(alert, world.owner)
        deliver(channel.pk)
        assert [body["change"] for body in bodies(receiver)] == ["fired", "acknowledged"]
        assert bodies(receiver)[1]["acknowledged_by"] == "ann"


def test_each_is_told_who_acknowledged_which(world: World) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        fired(world, {"low": 1.0}, {"symbol": "B", "low": 1.0})
        deliver(channel.pk)
        people = (world.owner, create_user("bob"))
        for alert, person in zip(Alert.objects.order_by("title"), people, strict=True):
            acknowledge(alert, person)
        while due_channels():
            deliver(channel.pk)
        told = [(body["change"], len(body["alerts"]), body["acknowledged_by"]) for body in bodies(receiver)]
    assert told == [("fired", 2, None), ("acknowledged", 1, "ann"), ("acknowledged", 1, "bob")]


@pytest.mark.parametrize("fires", ["before the silence", "during the silence"])
def test_a_silence_keeps_nobody_from_learning_who_looks_after_it(world: World, fires: str) -> None:
    if fires == "during the silence":
        silence = silenced_channel(world)
        fired(world)
    else:
        hook_without_receiver(world.workspace)
        fired(world)
        now = timezone.now()
        until = now + timedelta(hours=1)
        silence = create_silence(world.workspace, world.owner, starts_at=now, ends_at=until)
    acknowledge(Alert.objects.get(), world.owner)
    during = Notification.objects.count()
    end_silence(silence, world.owner)
    tell_owed()
    assert during == (0 if fires == "during the silence" else 2)
    assert sorted(Notification.objects.values_list("change", flat=True)) == ["acknowledged", "fired"]


def silenced_channel(world: World) -> Silence:
    """A channel that is told nothing of the job for an hour."""
    with http_receiver() as receiver:
        hook(world, receiver)
    now = timezone.now()
    return create_silence(
        world.workspace, world.owner, starts_at=now, ends_at=now + timedelta(hours=1), job=world.job
    )


def test_a_silence_delays_and_its_end_tells_what_still_fires(world: World) -> None:
    silence = silenced_channel(world)
    fired(world, {"low": 1.0}, {"symbol": "B", "low": 1.0})
    world.rows({"low": 9.0}, window=("2026-01-01T00:00:05.000000Z", "2026-01-01T00:00:10.000000Z"))
    assert tell_owed() == 0
    assert not Notification.objects.exists()
    end_silence(silence, world.owner)
    assert tell_owed() == 1  # of B; A fired and was resolved meanwhile
    assert tell_owed() == 0
    assert Notification.objects.get().alert.group == {"symbol": "B"}


def test_what_is_held_back_is_not_looked_at_again_and_again(world: World) -> None:
    """A maintenance window may hold back thousands, and results are stored by the same thread."""
    silenced_channel(world)
    fired(world, {"low": 1.0}, {"symbol": "B", "low": 1.0})
    with CaptureQueriesContext(connection) as asked:
        assert tell_owed() == 0
    assert [query["sql"].split()[0] for query in asked if "alerts_" in query["sql"]] == ["SELECT"]


def test_what_is_owed_is_told_in_parts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MAX_OWED", 1)
    silence = silenced_channel(world)
    fired(world, {"low": 1.0}, {"symbol": "B", "low": 1.0})
    end_silence(silence, world.owner)
    assert [tell_owed() for _ in range(3)] == [1, 1, 0]


@pytest.mark.parametrize("slow_s", [0, 60])
def test_a_channel_learns_of_the_end_after_the_beginning(world: World, slow_s: int) -> None:
    """Else an incident that is opened after it was closed stays open for ever. The host that noted the end
    may have a slow clock.
    """
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        receiver.status = 503
        fired(world)
        deliver(channel.pk)
        receiver.status = 200
        world.rows({"low": 9.0}, window=LATER)
        resolved = Notification.objects.filter(change="resolved")
        resolved.update(created_at=F("created_at") - timedelta(seconds=slow_s))
        assert deliver(channel.pk) is None
        assert due_channels() == []
        Notification.objects.filter(change="fired").update(due_at=timezone.now())
        assert due_channels() == [channel.pk]
        deliver(channel.pk)
        assert [body["change"] for body in bodies(receiver)] == ["fired", "fired", "resolved"]


def test_the_end_is_told_where_the_beginning_was_given_up(world: World) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        receiver.status = 404
        fired(world)
        deliver(channel.pk)
        receiver.status = 200
        world.rows({"low": 9.0}, window=LATER)
        deliver(channel.pk)
        assert [body["change"] for body in bodies(receiver)] == ["fired", "resolved"]


def test_what_fails_for_a_reason_nobody_thought_of_is_given_up_in_the_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("url")

    channel = hook_without_receiver(world.workspace)
    monkeypatch.setitem(delivery._SENDERS, channel.kind, fail)
    fired(world)
    assert deliver(channel.pk) is not None
    one = Notification.objects.get()
    assert (one.state, one.error) == ("waiting", UNEXPECTED)
    Notification.objects.update(due_at=timezone.now(), created_at=timezone.now() - timedelta(days=2))
    assert deliver(channel.pk) is None
    assert Notification.objects.get().state == "failed"


def test_where_the_channels_of_a_rule_were_deleted_others_are_told(world: World) -> None:
    """Else nobody would be, without a word. One that is turned off is meant to be."""
    named, off, other = (hook_without_receiver(world.workspace, name) for name in ("named", "off", "other"))
    Channel.objects.filter(pk=off.pk).update(enabled=False)

    def told() -> set[str]:
        return set(Notification.objects.values_list("channel__name", flat=True))

    world.rule(row_rule(world.job, channels=[named.pk]), "one")
    world.rule(row_rule(world.job, channels=[off.pk]), "two")
    world.rows({"low": 1.0})
    assert told() == {"named"}
    delete_channel(named, world.owner)
    world.rows({"symbol": "B", "low": 1.0})
    assert told() == {"other"}
    assert Notification.objects.get().channel == other


@pytest.mark.parametrize("by_severity", [False, True])
def test_the_end_is_told_where_the_beginning_was(world: World, by_severity: bool) -> None:
    least = "critical" if by_severity else "info"
    first = hook_without_receiver(world.workspace, "first", least_severity=least)
    second = hook_without_receiver(world.workspace, "second", least_severity="critical")
    before = {"severity": "critical"} if by_severity else {"channels": [first.pk]}
    after = {"severity": "warning"} if by_severity else {"channels": [second.pk]}
    rule = world.rule(row_rule(world.job, **before))
    world.rows({"low": 1.0})
    beginning = set(Notification.objects.values_list("channel__name", flat=True))
    document = row_rule(world.job, **after)
    change_rule(rule, world.owner, rule.name, document, rule.revision, enabled=True)
    world.follow()
    acknowledge(Alert.objects.get(), world.owner)
    world.rows({"low": 9.0}, window=LATER)
    for change in ("acknowledged", "resolved"):
        told = Notification.objects.filter(change=change).values_list("channel__name", flat=True)
        assert set(told) == beginning, change


def test_an_end_that_a_long_silence_held_back_is_told(world: World) -> None:
    hook_without_receiver(world.workspace)
    fired(world)
    now = timezone.now()
    silence = create_silence(
        world.workspace, world.owner, starts_at=now, ends_at=now + timedelta(hours=1), job=world.job
    )
    world.rows({"low": 9.0}, window=LATER)
    Alert.objects.update(resolved_at=now - timedelta(hours=25))
    assert tell_owed() == 0
    end_silence(silence, world.owner)
    assert tell_owed() == 1


def test_a_channel_that_is_turned_off_gets_nothing_of_what_waits_but_a_test(world: World) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        fired(world)
        waiting = Notification.objects.get()
        off = change_channel(channel, world.owner, channel.name, "info", enabled=False, revision=None)
        assert deliver(channel.pk) is None
        waiting.refresh_from_db()
        assert (receiver.requests, waiting.state, waiting.error) == (
            [],
            "failed",
            "The channel was turned off.",
        )
        Notification.objects.update(state="waiting")  # it was on its way, and did not arrive
        assert deliver(channel.pk) is None
        assert receiver.requests == []
        send_test(off, world.owner)
        deliver(channel.pk)
        assert len(receiver.requests) == 1


def test_what_was_on_its_way_as_its_channel_was_turned_off_is_not_tried_again(world: World) -> None:
    channel = hook_without_receiver(world.workspace)
    fired(world)
    taken = outbox.take(channel, 1)
    for enabled in (False, True):
        change_channel(channel, world.owner, channel.name, "info", enabled=enabled, revision=None)
    outbox.not_sent(taken, "Nobody answered.", permanent=False)
    one = Notification.objects.get()
    assert (one.state, one.error) == ("failed", "The channel was turned off.")


def test_a_name_that_is_unknown_for_a_moment_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http_receiver() as receiver:
        channel, _ = hook(world, receiver)
        fired(world)

        def away(*_: Any, **__: Any) -> Any:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

        with monkeypatch.context() as patched:
            patched.setattr("weir.outgoing.http_door.socket.getaddrinfo", away)
            assert deliver(channel.pk) is not None
        assert Notification.objects.get().state == "waiting"
        Notification.objects.update(due_at=timezone.now())
        assert deliver(channel.pk) is None
        assert Notification.objects.get().state == "sent"
