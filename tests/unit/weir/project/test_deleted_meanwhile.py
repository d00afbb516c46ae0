"""Somebody changes what somebody else deletes at the same moment: it is not there, no error of ours."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support import database_locks
from tests.support.alerting import channel
from tests.support.run_factories import job_of, trades
from tests.support.users import client_of
from weir.alerts.services.channels import delete_channel
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import delete_cluster
from weir.dashboards.services.dashboards import create_dashboard, delete_dashboard
from weir.streams.models import Stream
from weir.streams.services.ownership import lock_topics
from weir.streams.services.streams import delete_stream
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]
Ask = Callable[[Any], Any]


def beside(first: Callable[[], object], owner: User, ask: Ask) -> int:
    """The status of a request that is asked while the first change is not committed."""
    return database_locks.beside(first, lambda: int(ask(client_of(owner)).status_code))


def test_a_stream(workspace: Workspace, owner: User) -> None:
    stream = trades(workspace)
    found = beside(
        lambda: delete_stream(stream, owner),
        owner,
        lambda client: client.patch("/api/v1/workspaces/ops/streams/trades", {"description": "new"}),
    )
    assert found == 404


def test_a_stream_is_not_deleted_while_a_job_begins_to_use_it(workspace: Workspace, owner: User) -> None:
    trades(workspace)
    found = beside(
        lambda: job_of(workspace, owner),
        owner,
        lambda client: client.delete("/api/v1/workspaces/ops/streams/trades"),
    )
    assert found == 409


def test_a_cluster_is_not_deleted_while_a_stream_is_registered(workspace: Workspace, owner: User) -> None:
    cluster = Cluster.objects.create(id="c1", workspace=workspace, name="far", bootstrap="far.invalid:9092")

    def registered() -> None:
        lock_topics(cluster)  # as registering does
        Stream.objects.filter(pk=trades(workspace).pk).update(cluster=cluster)

    found = beside(registered, owner, lambda client: client.delete("/api/v1/workspaces/ops/clusters/c1"))
    assert found == 409


def test_a_cluster(workspace: Workspace, owner: User) -> None:
    cluster = Cluster.objects.create(
        id="c1", workspace=workspace, name="far", bootstrap="far.example.invalid:9092"
    )
    found = beside(
        lambda: delete_cluster(cluster, owner),
        owner,
        lambda client: client.put(
            "/api/v1/workspaces/ops/clusters/c1", {"name": "near", "bootstrap": "far.example.invalid:9092"}
        ),
    )
    assert found == 404
    assert not Cluster.objects.filter(pk="c1").exists()


def test_a_channel(workspace: Workspace, owner: User) -> None:
    hook = channel(workspace)
    asked = {"name": "other", "least_severity": "warning", "enabled": True}
    found = beside(
        lambda: delete_channel(hook, owner),
        owner,
        lambda client: client.put(f"/api/v1/workspaces/ops/alert-channels/{hook.pk}", asked),
    )
    assert found == 404


def test_what_a_new_row_hangs_on(workspace: Workspace, owner: User) -> None:
    hook = channel(workspace)
    path = f"/api/v1/workspaces/ops/alert-channels/{hook.pk}/test"
    assert beside(lambda: delete_channel(hook, owner), owner, lambda client: client.post(path)) == 404


def test_a_dashboard_that_gets_a_link(workspace: Workspace, owner: User) -> None:
    made = create_dashboard(workspace, owner, "floor", {"panels": []})
    path = f"/api/v1/workspaces/ops/dashboards/{made.pk}/links"
    found = beside(
        lambda: delete_dashboard(made, owner),
        owner,
        lambda client: client.post(path, {"note": "", "days": 1}),
    )
    assert found == 404


def test_an_objective_of_a_job(workspace: Workspace, owner: User) -> None:
    """It was told that the job has one of this kind."""
    job = job_of(workspace, owner)
    asked = {"job_id": job.pk, "kind": "availability", "target": 0.99, "window_days": 7}
    found = beside(job.delete, owner, lambda client: client.post("/api/v1/workspaces/ops/objectives", asked))
    assert found == 404
