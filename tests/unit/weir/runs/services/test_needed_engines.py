"""Engines that are needed go on; others end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.run_factories import job_of, running
from weir.runs.models import Engine, Isolation, Run
from weir.runs.services.epochs import close_execution
from weir.runs.services.needed_engines import retire_idle_engines
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_shared_engine_ends_ten_minutes_after_its_last_job(owner: User, workspace: Workspace) -> None:
    """However long it has run before."""
    run, now = running(job_of(workspace, owner)), timezone.now()
    Engine.objects.update(started_at=now - timedelta(hours=3))
    Run.objects.update(desired="stopped", observed="stopped")
    close_execution(run, "stopped", "Stopped.")
    retire_idle_engines(now + timedelta(minutes=9))
    assert Engine.objects.get().should_run
    retire_idle_engines(now + timedelta(minutes=11))
    assert not Engine.objects.get().should_run


def test_the_isolation_engine_stays_for_the_next_group(owner: User, workspace: Workspace) -> None:
    """It is warm; another would have to be started first."""
    run = running(job_of(workspace, owner))
    Engine.objects.create(id="isolation-1", kind=Engine.Kind.ISOLATION, should_run=True, state="ready")
    Run.objects.filter(pk=run.pk).update(isolation=Isolation.QUEUED)
    retire_idle_engines(timezone.now())
    assert Engine.objects.get(pk="isolation-1").should_run
    Run.objects.filter(pk=run.pk).update(isolation=Isolation.NONE)
    retire_idle_engines(timezone.now())
    assert not Engine.objects.get(pk="isolation-1").should_run
