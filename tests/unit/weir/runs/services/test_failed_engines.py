"""Engines that have failed, when the system starts again."""

import pytest
from django.conf import settings
from django.utils import timezone

from jobs.kafka_messages import ProcessHandle
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Engine, Run
from weir.runs.services.failed_engines import try_failed_again
from weir.runs.services.reconciler import _retry_failed
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_at_a_start_of_the_system_engines_that_had_failed_are_tried_again(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    """Their runs, too; one that failed by itself stays as it is."""
    failure = {"code": "ENGINE_ERROR", "message": "The engine ended five times in ten minutes."}
    with_it = running(job_of(workspace, owner))
    own = running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: own")))
    Run.objects.update(observed="failed", failure=failure)
    Run.objects.filter(pk=own.pk).update(failure={"code": "TOPIC_NOT_FOUND", "message": "gone"})
    Engine.objects.update(state="failed", failure=failure, crashes=[1, 2], host_queue=settings.HOST_QUEUE)
    try_failed_again()
    _retry_failed(timezone.now())
    engine = Engine.objects.get()
    assert (engine.state, engine.crashes, engine.failure) == ("stopped", [], None)
    with_it.refresh_from_db()
    own.refresh_from_db()
    assert (with_it.epoch, with_it.observed) == (2, "starting")
    assert (own.epoch, own.observed) == (1, "failed")
