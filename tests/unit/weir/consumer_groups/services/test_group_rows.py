"""What is stored of groups."""

import time

import pytest

from tests.support.group_rows import stored_group, watched
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import home_cluster
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupPoint, GroupTopic
from weir.consumer_groups.services.cluster_read import ClusterRead
from weir.consumer_groups.services.group_rows import forget_clusters, store_pass
from weir.consumer_groups.services.history import add_points
from weir.consumer_groups.services.visible_groups import watches_of_clusters
from weir.consumer_groups.services.watched_lags import watched_lags
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
LEFT_OUT = ClusterRead(1, {}, {}, {}, 1, 1, frozenset({"left out"}))
"""A pass over a cluster with one group, which is beyond what is watched."""


def test_groups_go_with_their_cluster(workspace: Workspace) -> None:
    home_cluster()
    Cluster.objects.create(id="kept", workspace=workspace, name="kept", bootstrap="b:1")
    for name in (HOME, "kept", "gone"):
        watched(name)
        stored_group("g", {"t": 1}, cluster_id=name)
    forget_clusters()
    assert set(ClusterWatch.objects.values_list("pk", flat=True)) == {HOME, "kept"}
    assert set(ConsumerGroup.objects.values_list("cluster_id", flat=True)) == {HOME, "kept"}


def test_groups_beyond_what_is_watched_keep_their_history() -> None:
    """They are there, though the pass did not look at them."""
    watched()
    for name in ("left out", "gone"):
        stored_group(name, {"t": 1})
        GroupPoint.objects.create(
            series=GroupTopic.objects.get(group=name), resolution_s=10, at_us=0, severity=0
        )
    store_pass(HOME, "test", LEFT_OUT, {}, [], 1, 3_000)
    assert list(ConsumerGroup.objects.values_list("name", flat=True)) == ["left out"]
    assert list(GroupPoint.objects.values_list("series__group", flat=True)) == ["left out"]


def test_the_numbers_of_groups_beyond_what_is_watched_are_not_taken_for_those_of_the_present() -> None:
    watched()
    stored_group("left out", {"t": 7}, health="stopped", loss_s=3.0)
    store_pass(HOME, "test", LEFT_OUT, {}, [], 1, 3_000)
    home, now_us = home_cluster(), time.time_ns() // 1000
    ClusterWatch.objects.update(passed_at_us=now_us)
    assert watched_lags([home], watches_of_clusters([home]), frozenset(), None, now_us) == []
    add_points([HOME], now_us)
    assert not GroupPoint.objects.exists()
    row = GroupTopic.objects.get()
    assert (row.lag_records, row.health, row.loss_s, row.partitions) == (None, "unknown", None, [])
