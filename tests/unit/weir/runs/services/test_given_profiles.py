"""A run keeps the connections that it was given, but that to the home cluster is always the present one."""

import pytest
from pytest_django import Settings

from tests.support.run_factories import job_of, running
from weir.clusters.models import Cluster
from weir.clusters.services.clients import home_profile
from weir.live.lookups import find_job
from weir.relay.history import HistoryRecorder
from weir.runs.models import Run
from weir.runs.services.given_profiles import given_profile, given_profiles
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def run(owner: User, workspace: Workspace, settings: Settings) -> Run:
    """Of a job that was started before the home cluster moved; it reads another cluster, too."""
    run = running(job_of(workspace, owner))
    run.generation.sources = {
        name: {"stream": name, "topic": name, "cluster": {"cluster_id": cluster, "bootstrap": "before:9092"}}
        for name, cluster in (("trades", "home"), ("orders", "c2"))
    }
    run.generation.save()
    settings.KAFKA_BOOTSTRAP_SERVERS = "now:9092"
    return run


def test_the_home_cluster_is_asked_where_it_is_now(run: Run) -> None:
    other = given_profile(run.generation.sources["orders"])
    assert other.bootstrap == "before:9092"
    assert given_profiles(run.generation) == {home_profile(), other}


def test_ends_of_topics_are_asked_for_where_their_clusters_are_now(run: Run, workspace: Workspace) -> None:
    """A stopped job was given connections that may be outdated, and a cluster that may be gone."""
    Cluster.objects.create(id="c2", workspace=workspace, name="other", bootstrap="after:9092")
    for known in ({"home": "now:9092", "c2": "after:9092"}, {"home": "now:9092"}):
        recorder = HistoryRecorder()
        recorder.follow_runs()
        assert {name: each.bootstrap for name, each in recorder._profiles.items()} == known
        found = find_job(workspace.pk, run.generation.job_id)
        assert found is not None
        assert {name: each.bootstrap for name, each in found.clusters.items()} == known
        assert found.sources.keys() == {"trades", "orders"}
        Cluster.objects.filter(pk="c2").delete()
