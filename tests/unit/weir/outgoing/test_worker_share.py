"""Slow receivers take a part of a worker, and no more."""

import pytest
from celery.exceptions import Retry

from tests.support.alerting import channel
from weir.alerts.models import Notification
from weir.alerts.services import delivery
from weir.alerts.tasks import deliver_to
from weir.outgoing.worker_share import WORKER_SHARE, WorkerShare
from weir.workspaces.models import Workspace


def test_two_deliveries_at_once_and_one_of_each_workspace() -> None:
    share = WorkerShare()
    with share.of(1) as first:
        with share.of(1) as same, share.of(2) as second, share.of(3) as third:
            assert (first, same, second, third) == (True, False, True, False)
        with share.of(3) as later:
            assert later
    with pytest.raises(ZeroDivisionError), share.of(1):
        1 / 0  # noqa: B018
    with share.of(1) as again:
        assert again, "a delivery that failed gave its turn back"


@pytest.mark.django_db(databases=["default", "results"])
def test_a_workspace_with_many_slow_channels_has_one_thread(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setitem(delivery._SENDERS, "webhook", lambda _, message: told.append(message.subject))
    hook = channel(workspace)
    Notification.objects.create(workspace=workspace, channel=hook, change=Notification.Change.TEST)
    with WORKER_SHARE.of(workspace.pk), pytest.raises(Retry):
        deliver_to(hook.pk)
    assert told == []
    deliver_to(hook.pk)
    assert len(told) == 1


@pytest.mark.django_db(databases=["default", "results"])
def test_a_turn_ends(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    told: list[str] = []

    def slow(_: object, message: delivery.Message) -> None:
        nonlocal now
        now += 20.0
        told.append(message.subject)

    monkeypatch.setattr(delivery.time, "monotonic", lambda: now)
    monkeypatch.setitem(delivery._SENDERS, "webhook", slow)
    hook = channel(workspace)
    for _ in range(5):
        Notification.objects.create(workspace=workspace, channel=hook, change=Notification.Change.TEST)
    assert (delivery.deliver(hook.pk), len(told)) == (1, 2)
