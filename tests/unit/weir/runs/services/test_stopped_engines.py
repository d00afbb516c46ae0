"""Shared engines that stopped long ago are forgotten, and no others."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.support.run_factories import job_of, running
from weir.runs.models import Engine, Run
from weir.runs.services.engine_logs import engine_log
from weir.runs.services.stopped_engines import delete_engines_stopped_before
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]

WEEK = timedelta(days=7)


def engine(engine_id: str, **more: Any) -> Engine:
    began = timezone.now() - 2 * WEEK
    of = {"kind": "shared", "should_run": False, "state": "stopped", "started_at": began, "host_queue": "q"}
    return Engine.objects.create(pk=engine_id, **{**of, **more})


def left() -> set[str]:
    delete_engines_stopped_before(timezone.now() - WEEK)
    return set(Engine.objects.values_list("pk", flat=True))


def test_one_that_served_for_long_and_has_just_stopped_stays() -> None:
    """People look at why it stopped."""
    lately, long_ago = timezone.now() - timedelta(minutes=1), timezone.now() - 2 * WEEK
    engine("old", last_seen_at=long_ago, last_command_at=long_ago)
    engine("seen", last_seen_at=lately)
    engine("told", last_command_at=lately)
    engine("runs", should_run=True)
    engine("dedicated-x", last_seen_at=long_ago)
    assert left() == {"seen", "told", "runs", "dedicated-x"}


def test_its_log_goes_with_it() -> None:
    engine("old")
    log = engine_log("old")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("bye")
    assert left() == set()
    assert not log.exists()


def test_one_that_a_start_has_just_taken_stays(workspace: Workspace, owner: User) -> None:
    """Else its run would start for ever, on no engine."""
    run = running(job_of(workspace, owner), state="starting")
    engine("old")
    Run.objects.filter(pk=run.pk).update(engine_id="old")
    assert "old" in left()
