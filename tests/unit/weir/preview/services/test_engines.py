"""Which engine plays a preview."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.support.run_factories import job_of, running
from weir.preview.services.engines import choose_engine
from weir.runs.models import Engine, EngineHost
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


def engine(name: str, *, standby: bool = False, ready: bool = True, state: str = "ready") -> Engine:
    return Engine.objects.create(
        id=name, kind=Engine.Kind.SHARED, standby=standby, ready=ready, state=state, host_queue="q", slots=8
    )


@pytest.mark.parametrize(("is_warm", "chosen"), [(True, "shared-2"), (False, "shared-1")])
def test_a_standby_is_chosen_before_an_engine_without_runs_once_it_is_warm_for_previews(
    workspace: Workspace, is_warm: bool, chosen: str
) -> None:
    engine("shared-1")
    engine("shared-2", standby=True)
    Engine.objects.filter(standby=True).update(plays_ready=is_warm)
    found = choose_engine(workspace).engine
    assert found is not None
    assert found.id == chosen


def test_a_standby_that_warms_up_is_chosen_before_a_busy_engine(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=run.engine_id).update(ready=True)
    engine("shared-9", standby=True)
    found = choose_engine(workspace).engine
    assert found is not None
    assert found.id == "shared-9"


def test_an_engine_without_runs_is_chosen_before_a_busy_one(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=run.engine_id).update(ready=True)
    engine("shared-9")
    found = choose_engine(workspace).engine
    assert found is not None
    assert found.id == "shared-9"


def test_a_busy_engine_is_better_than_none(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=run.engine_id).update(ready=True)
    found = choose_engine(workspace).engine
    assert found is not None
    assert found.id == run.engine_id


@pytest.mark.parametrize("standby", ["none", "starting", "failed"])
def test_previews_wait_for_a_standby_that_comes(
    workspace: Workspace, owner: User, settings: Settings, standby: str
) -> None:
    """The first play of an engine compiles for seconds; running jobs would give no results meanwhile."""
    settings.STANDBY = True
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=run.engine_id).update(ready=True)
    if standby != "none":
        engine("shared-9", standby=True, ready=False, state=standby)
    choice = choose_engine(workspace)
    if standby == "failed":
        assert choice.engine is not None
    else:
        assert choice.engine is None
        assert choice.reason.startswith("The standby engine is starting")
        assert choice.coming


@pytest.mark.parametrize("why", ["no memory for it", "its host is silent"])
def test_a_busy_engine_plays_where_no_standby_can_come(
    workspace: Workspace, owner: User, settings: Settings, why: str
) -> None:
    settings.STANDBY = True
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=run.engine_id).update(ready=True)
    if why == "no memory for it":
        EngineHost.objects.create(queue="q", cores=2, memory_available=1, heard_at=timezone.now())
        Engine.objects.filter(pk=run.engine_id).update(host_queue="q")
    else:
        engine("shared-9", standby=True, ready=False)
        EngineHost.objects.create(queue="q", cores=2, heard_at=timezone.now() - timedelta(hours=1))
    found = choose_engine(workspace).engine
    assert found is not None
    assert found.id == run.engine_id


@pytest.mark.parametrize(
    ("state", "reason", "coming"),
    [
        ("starting", "An engine is starting", True),
        ("failed", "The engine has failed", False),
        ("stopped", "No engine is running", False),
    ],
)
def test_without_a_ready_engine_the_reason_is_given(
    workspace: Workspace, state: str, reason: str, coming: bool
) -> None:
    engine("shared-1", ready=False, state=state)
    choice = choose_engine(workspace)
    assert choice.engine is None
    assert choice.reason.startswith(reason)
    assert choice.coming is coming


def test_the_engine_of_another_workspace_is_not_chosen(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    Engine.objects.filter(pk=engine("shared-1").pk).update(workspace=other)
    assert choose_engine(workspace).engine is None
