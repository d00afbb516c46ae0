"""What a deleted job leaves to alerts."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.alerting import World, channel, metric_rule, row_rule
from weir.alerts.models import Alert, Channel
from weir.alerts.services.outbox import sent, take
from weir.runs.models import Job, Observed, Run
from weir.runs.services import deletion
from weir.runs.services.deletion import delete_job, finish_deletion
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


@pytest.fixture
def world(workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(deletion, "delete_topics", lambda *_: None)
    monkeypatch.setattr(deletion, "publish_tombstone", lambda *_: None)
    monkeypatch.setattr(deletion, "delete_group", lambda *_: None)
    return World(workspace, owner)


def over_rows(world: World) -> None:
    world.rule(row_rule(world.job))
    world.rows({"low": 1.0})


def of_a_failed_job(world: World) -> None:
    """As a rule over every job of the workspace, which outlives this one."""
    Run.objects.filter(pk=world.run.pk).update(observed=Observed.FAILED)
    world.rule(metric_rule("job.failed", above=0))
    world.evaluator.tick()


def deleted(world: World) -> Job:
    """It has ended, and everything but its row may go."""
    delete_job(world.job, world.owner)
    Run.objects.filter(pk=world.run.pk, observed=Observed.RUNNING).update(observed=Observed.STOPPED)
    return world.job


def delivered(hook: Channel) -> list[str]:
    """What arrives until nothing is due."""
    changes: list[str] = []
    while taken := take(hook, 50):
        sent(taken)
        changes += [str(one.change) for one in taken]
    return changes


@pytest.mark.parametrize("fire", [over_rows, of_a_failed_job])
def test_channels_learn_of_the_end_before_a_deleted_job_is_gone(world: World, fire) -> None:  # type: ignore[no-untyped-def]
    """Else an incident stays open there for ever."""
    hook = channel(world.workspace)
    fire(world)
    assert delivered(hook) == ["fired"]
    job = deleted(world)
    assert not finish_deletion(job.pk)
    world.follow()
    world.evaluator.tick()
    assert not finish_deletion(job.pk), "the end is not delivered yet"
    assert delivered(hook) == ["resolved"]
    assert finish_deletion(job.pk)
    assert not Job.objects.filter(pk=job.pk).exists()


def test_a_channel_that_does_not_answer_is_waited_for_an_hour(world: World) -> None:
    channel(world.workspace)
    over_rows(world)
    job = deleted(world)
    world.follow()
    assert not finish_deletion(job.pk)
    alert = Alert.objects.get()
    assert alert.resolved_at is not None
    Alert.objects.update(resolved_at=timezone.now() - timedelta(hours=1, seconds=1))
    assert finish_deletion(job.pk)


@pytest.mark.parametrize("told", ["nobody", "a channel that is off"])
def test_nobody_is_waited_for_who_was_not_told(world: World, told: str) -> None:
    if told != "nobody":
        channel(world.workspace, enabled=False)
    over_rows(world)
    assert finish_deletion(deleted(world).pk)
