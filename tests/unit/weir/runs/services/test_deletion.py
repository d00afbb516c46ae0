"""A deletion that a failure interrupts goes on later, and leaves nothing."""

from pathlib import Path

import pytest
from django.db import OperationalError

from tests.support.run_factories import job_of
from weir.lag.models import CurrentLag
from weir.lag.services import history
from weir.runs.models import Job
from weir.runs.services import deletion
from weir.runs.services.deletion import delete_checkpoint, delete_job, finish_deletion
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_checkpoint_below_another_root_is_kept_and_holds_nothing_up(tmp_path: Path) -> None:
    folder = tmp_path / "former/ops/4f2c/1"
    folder.mkdir(parents=True)
    delete_checkpoint(f"file://{folder}")
    assert folder.exists()


def test_the_history_of_a_job_goes_once_its_database_is_back(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "delete_topics", lambda *_: None)
    job = job_of(workspace, owner)
    CurrentLag.objects.using("results").create(job_id=job.pk, at_us=1, payload={})
    delete_job(job, owner)
    with monkeypatch.context() as away:

        def refuse(_: str) -> None:
            raise OperationalError("the database of results is away")

        away.setattr(history, "delete_lag", refuse)
        with pytest.raises(OperationalError):
            finish_deletion(job.pk)
    assert Job.objects.filter(pk=job.pk).exists(), "the reconciler goes by it"
    assert finish_deletion(job.pk)
    assert not CurrentLag.objects.using("results").exists()
    assert not Job.objects.filter(pk=job.pk).exists()
