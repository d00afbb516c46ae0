"""A deletion that a failure interrupts goes on later, and leaves nothing; a cluster known to be silent is not
waited for.
"""

from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from jobs.connections import ClusterProfile
from jobs.kafka_messages import dead_letter_topic
from tests.support.run_factories import job_of, running
from tests.support.validator_factories import create_validator
from weir.clusters.models import Cluster
from weir.lag.models import CurrentLag
from weir.lag.services import history
from weir.runs.models import Generation, Job, Run
from weir.runs.services import dead_letter_topics, deletion
from weir.runs.services.deletion import delete_checkpoint, delete_job, finish_deletion
from weir.workspaces.errors import UnreachableError
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


@pytest.mark.parametrize("reachable", [False, True])
def test_a_cluster_that_is_known_to_be_silent_is_not_asked_for_mirror_groups(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, reachable: bool
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(deletion, "delete_topics", lambda *_: None)
    monkeypatch.setattr(deletion, "publish_tombstone", lambda _: None)
    monkeypatch.setattr(deletion, "delete_group", lambda profile, _: asked.append(profile.cluster_id))
    job = job_of(workspace, owner)
    reads_from(running(job, state="stopped"), far(workspace, reachable))
    delete_job(job, owner)
    Run.objects.update(desired="stopped")
    assert finish_deletion(job.pk)
    assert asked == (["far"] if reachable else [])


def test_a_cluster_that_is_known_to_be_silent_is_not_asked_for_a_dead_letter_topic(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its validators that are deleted would wait for it, tick after tick."""
    asked: list[Any] = []
    monkeypatch.setattr(deletion, "publish_tombstone", lambda _: None)
    monkeypatch.setattr(dead_letter_topics, "describe_topics", lambda _, names: asked.append(names) or {})
    monkeypatch.setattr(deletion, "_delete_mirror_groups", lambda *_: None)
    job = create_validator(workspace).job
    cluster = far(workspace, False)
    reads_from(running(job, state="stopped"), cluster)
    delete_job(job, None)
    Run.objects.update(desired="stopped")
    with pytest.raises(UnreachableError, match="far is unreachable"):
        finish_deletion(job.pk)
    assert asked == []
    Cluster.objects.filter(pk=cluster.pk).update(reachable=True)
    assert finish_deletion(job.pk)
    assert asked == [[dead_letter_topic(job.pk)]]


def far(workspace: Workspace, reachable: bool) -> Cluster:
    return Cluster.objects.create(
        id="far", workspace=workspace, name="far", bootstrap="b:1", reachable=reachable
    )


def reads_from(run: Run, cluster: Cluster) -> None:
    """The run's only source is on this cluster, and what its topics are called is known."""
    profile = ClusterProfile(cluster_id=cluster.pk, bootstrap=cluster.bootstrap)
    source = {"cluster": profile.model_dump(mode="json")}
    Generation.objects.filter(pk=run.generation_id).update(sources={"s": source}, result_topic_id="id-9")
