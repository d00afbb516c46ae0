"""A run that is tried again for days does not fill the database with its attempts."""

import pytest
from django.utils import timezone

from jobs.kafka_messages import Failure
from tests.support.run_factories import job_of, running
from weir.runs import tasks
from weir.runs.models import Execution, Run
from weir.runs.services import old_attempts
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def attempt(run: Run, epoch: int, code: str | None, state: str = "failed") -> None:
    failure = None if code is None else Failure(code=code, message="It\0failed.", raw="of \0").model_dump()
    Execution.objects.create(
        run=run, epoch=epoch, version=1, mode="realtime", engine_id="shared-1", ended_at=timezone.now(),
        state=state, failure=failure,
    )  # fmt: skip


def test_the_newest_attempts_and_what_was_no_repetition_are_kept(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where what Spark said quotes a NUL, with which PostgreSQL looks into no JSON."""
    monkeypatch.setattr(old_attempts, "REPEATED_ATTEMPTS_PER_RUN", 3)
    run = running(job_of(workspace, owner))  # its first epoch goes on
    attempt(run, 2, "ENGINE_ERROR")
    attempt(run, 3, None, state="stopped")
    for epoch in range(4, 10):
        attempt(run, epoch, "DISK_FULL" if epoch % 2 else "CHECKPOINT_MISSING")
    tasks.purge_expired()
    assert list(Execution.objects.order_by("epoch").values_list("epoch", flat=True)) == [1, 2, 3, 7, 8, 9]
    tasks.purge_expired()
    assert Execution.objects.count() == 6


def test_a_run_with_few_attempts_keeps_them_all(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    for epoch in range(2, 5):
        attempt(run, epoch, "BROKER_UNREACHABLE")
    tasks.purge_expired()
    assert Execution.objects.count() == 4
