"""What is stored of groups."""

import pytest

from tests.support.group_rows import stored_group, watched
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import home_cluster
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup
from weir.consumer_groups.services.group_rows import forget_clusters
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_groups_go_with_their_cluster(workspace: Workspace) -> None:
    home_cluster()
    Cluster.objects.create(id="kept", workspace=workspace, name="kept", bootstrap="b:1")
    for name in (HOME, "kept", "gone"):
        watched(name)
        stored_group("g", {"t": 1}, cluster_id=name)
    forget_clusters()
    assert set(ClusterWatch.objects.values_list("pk", flat=True)) == {HOME, "kept"}
    assert set(ConsumerGroup.objects.values_list("cluster_id", flat=True)) == {HOME, "kept"}
