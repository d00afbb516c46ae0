"""What is kept of alerts is bounded, whatever a rule does."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.alerting import World, channel, row_rule
from weir import row_deletion
from weir.alerts.models import Alert, Notification
from weir.alerts.services import purge
from weir.retention import ALERT_RETENTION
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)
MAX_KEPT = 3


@pytest.fixture
def world(workspace: Workspace, owner: User) -> World:
    return World(workspace, owner)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge, "MAX_ALERTS", MAX_KEPT)
    monkeypatch.setattr(row_deletion, "SLICE_ROWS", 2)


def flap(world: World, times: int) -> None:
    """A rule without groups fires and recovers again and again."""
    world.rule(row_rule(world.job, by=[]))
    for _ in range(times):
        world.rows({"symbol": "A", "low": 1.0}, {"symbol": "B", "low": 9.0})


@pytest.mark.every_database
def test_of_a_rule_that_flaps_the_newest_are_kept(world: World) -> None:
    flap(world, 10)
    newest = set(Alert.objects.order_by("-since").values_list("pk", flat=True)[:MAX_KEPT])
    purge.purge()
    assert set(Alert.objects.values_list("pk", flat=True)) == newest


def test_open_ones_and_those_whose_end_is_owed_are_kept(world: World) -> None:
    flap(world, 5)
    world.rows({"low": 1.0})
    owed = Alert.objects.filter(state="resolved").order_by("since").first()
    assert owed is not None
    Alert.objects.filter(pk=owed.pk).update(told=Alert.Told.FIRING)
    purge.purge()
    assert Alert.objects.filter(state="firing").count() == 1
    assert Alert.objects.filter(pk=owed.pk).exists()
    assert Alert.objects.count() == MAX_KEPT + 2


def test_who_was_told_of_what_still_fires_is_kept(world: World) -> None:
    """Else nobody would know who is to learn of the end."""
    channel(world.workspace)
    world.rule(row_rule(world.job, by=[]))
    world.rows({"low": 1.0})
    Notification.objects.update(state="sent", created_at=timezone.now() - timedelta(days=60))
    purge.purge()
    assert Notification.objects.count() == 1
    world.rows({"low": 9.0})
    Notification.objects.update(state="sent", created_at=timezone.now() - timedelta(days=60))
    purge.purge()
    assert not Notification.objects.exists()


def test_what_is_old_goes_with_its_notifications(world: World) -> None:
    channel(world.workspace)
    flap(world, 2)
    old = Alert.objects.order_by("since").first()
    assert old is not None
    assert Notification.objects.filter(alert=old).exists()
    Alert.objects.filter(pk=old.pk).update(resolved_at=timezone.now() - ALERT_RETENTION - timedelta(hours=1))
    purge.purge()
    assert not Alert.objects.filter(pk=old.pk).exists()
    assert not Notification.objects.filter(alert_id=old.pk).exists()
    assert Alert.objects.count() == 1
