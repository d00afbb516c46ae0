"""What is stored of groups."""

import time
from typing import Any

import pytest

from tests.support.group_rows import stored_group, watched
from tests.support.users import client_of
from weir import row_deletion
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import home_cluster
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupPoint, GroupTopic
from weir.consumer_groups.services import group_rows
from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead, Member
from weir.consumer_groups.services.cluster_state import PartitionLag, TopicLag
from weir.consumer_groups.services.forecast import Forecast
from weir.consumer_groups.services.group_reading import worst_of
from weir.consumer_groups.services.group_rows import forget_clusters, store_pass
from weir.consumer_groups.services.health import Health
from weir.consumer_groups.services.history import add_points
from weir.consumer_groups.services.visible_groups import watches_of_clusters
from weir.consumer_groups.services.watched_lags import watched_lags
from weir.runs.services.lag_health import Kind
from weir.workspaces.models import User, Workspace

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


def test_a_long_history_goes_in_slices_with_its_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_deletion, "SLICE_ROWS", 2)
    monkeypatch.setattr(group_rows, "_FORGET_S", 0.0)
    watched("gone")
    stored_group("g", {"t": 1}, cluster_id="gone")
    series = GroupTopic.objects.get()
    GroupPoint.objects.bulk_create(
        GroupPoint(series=series, resolution_s=10, at_us=at, severity=0) for at in range(5)
    )
    left = []
    while ClusterWatch.objects.exists():
        forget_clusters()
        left.append(GroupPoint.objects.count())
    assert left == [3, 1, 0]
    assert not GroupTopic.objects.exists()


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


@pytest.mark.every_database
def test_what_a_consumer_calls_itself_is_no_obstacle() -> None:
    """PostgreSQL stores no NUL: one such consumer kept the whole cluster from being stored."""
    watched()
    member = Member("a\0b", "h\0", "i\0d", (("t\0", 1),))
    group = GroupRead("g", "Stable", "classic", members=(member,))
    store_pass(HOME, "test", ClusterRead(1, {"g": group}, {}, {}, 1, 1, frozenset()), {}, [group], 1, 3_000)
    assert ConsumerGroup.objects.get().members == [["a\ufffdb", "h\ufffd", "i\ufffdd", [["t\ufffd", 1]]]]


@pytest.mark.every_database
def test_a_group_of_a_name_that_is_not_stored_is_no_obstacle() -> None:
    watched()
    read = ClusterRead(1, {"g": GroupRead("g", "Stable", "classic")}, {}, {}, 1, 1, frozenset({"a\0b"}))
    store_pass(HOME, "test", read, {}, list(read.groups.values()), 1, 3_000)
    assert list(ConsumerGroup.objects.values_list("name", flat=True)) == ["g"]


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


def test_a_topic_has_an_end_in_sight_only_where_all_of_it_catches_up(
    workspace: Workspace, owner: User
) -> None:
    """One partition stands while the other catches up; a topic beside them catches up as a whole."""
    watched()
    stored_group("g", {})
    catching_up, stopped = Health(Kind.CATCHING_UP), Health(Kind.STOPPED)
    found = [topic("beside", catching_up), topic("t", catching_up, stopped)]
    group = GroupRead("g", "Stable", "classic")
    read = ClusterRead(time.time_ns() // 1000, {"g": group}, {}, {}, 0, 1)

    def shown(*found: TopicLag) -> dict[str, Any]:
        store_pass(HOME, "test", read, {"g": list(found)}, [], 1, 3_000)
        answer = client_of(owner).get("/api/v1/workspaces/ops/consumer-groups/home/g").json()
        return {"g": answer["catch_up_s"]} | {
            each["topic"]: each["catch_up_s"] for each in answer["topic_lags"]
        }

    assert shown(*found) == {"g": None, "beside": 60.0, "t": None}
    assert shown(found[0]) == {"g": 60.0, "beside": 60.0}


def topic(name: str, *healths: Health) -> TopicLag:
    """A topic with a partition of each health."""
    parts = tuple(
        PartitionLag(
            number,
            *(100, 200, 0, 100),
            health,
            Forecast(9.0, "sampled", 1.0, 2.0, 60.0 if health.kind == Kind.CATCHING_UP else None),
            owner=None,
        )
        for number, health in enumerate(healths)
    )
    return TopicLag("g", name, worst_of(list(healths)), {}, None, parts)
