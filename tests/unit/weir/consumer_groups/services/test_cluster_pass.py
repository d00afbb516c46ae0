"""A pass over a cluster, from what was read to what is stored."""

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from tests.support.group_rows import watched
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupPoint, GroupTopic
from weir.consumer_groups.services import cluster_pass
from weir.consumer_groups.services.cluster_pass import ClusterPass
from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead
from weir.consumer_groups.services.cluster_state import LEADER_WAIT_US, ClusterState
from weir.consumer_groups.services.conclusion_queue import SETTLES_AFTER_US
from weir.consumer_groups.services.group_reading import Partition
from weir.consumer_groups.services.group_rows import LeaseLostError, forget_group
from weir.consumer_groups.services.history import add_points
from weir.consumer_groups.services.record_times import RecordTimes
from weir.consumer_groups.services.topic_retention import TopicRetention
from weir.workspaces.errors import UnreachableError

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


class OneGroup:
    """A cluster with the group g, as passes read it; tests change it between two passes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **committed: int) -> None:
        watched("one")
        monkeypatch.setattr(TopicRetention, "of", lambda _, topics: {})
        monkeypatch.setattr(ClusterState, "wanted_records", lambda *_: [])
        self._monkeypatch = monkeypatch
        self.group = GroupRead(
            "g", "Empty", "classic", {(topic, 0): at for topic, at in committed.items()}, ()
        )
        self.ends: dict[Partition, int] = dict.fromkeys(self.group.committed, 500)
        self.later_us = 0

    def read(self) -> ClusterRead:
        group = replace(self.group, committed=dict(self.group.committed))
        at_us = time.time_ns() // 1000 + self.later_us
        return ClusterRead(at_us, {"g": group}, dict(self.ends), dict.fromkeys(self.ends, 0), 0, 1)

    def watch(self) -> ClusterPass:
        """As a relay that has just taken over the cluster."""
        watch = ClusterPass(ClusterProfile(cluster_id="one", bootstrap="127.0.0.1:9"), "test")
        self._monkeypatch.setattr(watch._reader, "read", self.read)
        return watch


def lags() -> dict[str, int | None]:
    """In records, by topic."""
    return dict(GroupTopic.objects.order_by("topic").values_list("topic", "lag_records"))


def points() -> list[str]:
    """The topics of which there is history."""
    return list(GroupPoint.objects.order_by("series__topic").values_list("series__topic", flat=True))


def remember(topic: str) -> None:
    """A point of the history of a topic."""
    series = GroupTopic.objects.get(topic=topic)
    GroupPoint.objects.create(series=series, resolution_s=10, at_us=0, severity=0)


def test_a_topic_without_a_leader_at_a_first_pass_keeps_its_row_and_history(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Brokers and the relay start again together: the topic is not known at that moment, but not gone."""
    cluster = OneGroup(monkeypatch, t=100, u=200)
    cluster.watch().run()
    remember("t")
    del cluster.ends["t", 0]
    cluster.watch().run()
    assert (lags(), points()) == ({"t": 400, "u": 300}, ["t"])
    del cluster.group.committed["t", 0]
    cluster.watch().run()
    assert (lags(), points()) == ({"u": 300}, [])
    assert ClusterWatch.objects.get().error == ""


def test_a_topic_of_which_a_partition_has_no_leader_at_a_first_pass_is_not_summed_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = OneGroup(monkeypatch, t=100)
    cluster.group.committed["t", 1], cluster.ends["t", 1] = 100, 500
    cluster.watch().run()
    assert lags() == {"t": 800}
    end = cluster.ends.pop(("t", 1))
    watch = cluster.watch()
    watch.run()
    assert lags() == {"t": 800}
    cluster.ends["t", 1] = end + 100
    watch.run()
    assert lags() == {"t": 900}
    del cluster.ends["t", 1]
    watch.run()
    assert lags() == {"t": 900}, "what is known of it stays"


def test_a_partition_that_is_offline_for_long_does_not_keep_the_others_from_being_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = OneGroup(monkeypatch, t=100)
    cluster.group.committed["t", 1] = 100
    watch = cluster.watch()
    watch.run()
    assert lags() == {}
    for cluster.later_us in (SETTLES_AFTER_US // 2, SETTLES_AFTER_US + 10_000_000):
        watch.run()
    cluster.later_us = LEADER_WAIT_US
    watch.run()
    assert lags() == {"t": 400}


def test_a_group_whose_offsets_may_not_be_read_any_more_keeps_its_topics_and_history_as_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = OneGroup(monkeypatch, t=100, u=200)
    watch = cluster.watch()
    watch.run()
    remember("t")
    may_read, ends = cluster.group, cluster.ends
    for watching in (watch, watch, cluster.watch()):
        cluster.group, cluster.ends = replace(may_read, committed={}, denied=True), {}
        watching.run()
        assert (lags(), points()) == ({"t": None, "u": None}, ["t"])
        row = GroupTopic.objects.first()
        assert row is not None
        assert (row.health, row.lag_seconds, row.in_rate, row.partitions) == ("unknown", None, None, [])
        add_points(["one"], time.time_ns() // 1000)
        assert points() == ["t"], "unknown is no point"
    cluster.group, cluster.ends = may_read, ends
    del may_read.committed["u", 0]
    watch.run()
    assert (lags(), points()) == ({"t": 400}, ["t"])


def test_a_group_that_is_deleted_in_weir_and_commits_again_before_the_next_pass_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that commits without members is as it was before: nothing else tells that it was away."""
    cluster = OneGroup(monkeypatch, t=100)
    watch = cluster.watch()
    watch.run()
    forget_group("one", "g")
    cluster.group.committed["t", 0] = 200
    watch.run()
    assert list(ConsumerGroup.objects.values_list("cluster_id", "name")) == [("one", "g")]
    assert lags() == {"t": 300}


def test_what_could_not_be_stored_is_stored_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease was lost for a moment when a group had caught up, or the database was away; nothing about the
    group changes any more.
    """
    watched("one")
    committed = [100]

    def read() -> ClusterRead:
        group = GroupRead("g", "Stable", "classic", {("t", 0): committed[0]}, ())
        ends, starts = {("t", 0): 500}, {("t", 0): 0}
        return ClusterRead(time.time_ns() // 1000, {"g": group}, ends, starts, 0, 1)

    def lag() -> int:
        return GroupTopic.objects.get().lag_records

    store, lost = cluster_pass.store_pass, [False]

    def store_if_there(*given: Any) -> None:
        if lost[0]:
            raise LeaseLostError
        store(*given)

    monkeypatch.setattr(cluster_pass, "store_pass", store_if_there)
    monkeypatch.setattr(TopicRetention, "of", lambda _, topics: {})
    watch = ClusterPass(ClusterProfile(cluster_id="one", bootstrap="127.0.0.1:9"), "test")
    monkeypatch.setattr(watch._reader, "read", read)
    monkeypatch.setattr(ClusterState, "wanted_records", lambda *_: [])
    watch.run()
    assert lag() == 400
    committed[0], lost[0] = 500, True
    watch.run()
    assert lag() == 400
    lost[0] = False
    watch.run()
    assert lag() == 0
    assert ClusterWatch.objects.get().error == ""


@pytest.mark.parametrize("fails", [False, True])
def test_a_record_that_does_not_come_delays_no_pass(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    """The cluster's user may not read the topic, or a transaction hangs there."""
    watched("one")
    asked: list[Any] = []
    now_s = 100.0

    def read() -> ClusterRead:
        group = GroupRead("g", "Empty", "classic", {("t", 0): 100}, ())
        return ClusterRead(time.time_ns() // 1000, {"g": group}, {("t", 0): 500}, {("t", 0): 0}, 0, 1)

    def record_times(_self: RecordTimes, wanted: Any) -> dict[Any, int]:
        nonlocal now_s
        asked.extend(wanted)
        now_s += 0.6
        if fails:
            raise UnreachableError("BROKER_UNREACHABLE", "No.")
        return {}

    monkeypatch.setattr(TopicRetention, "of", lambda _, topics: {})
    monkeypatch.setattr(RecordTimes, "read", record_times)
    monkeypatch.setattr(cluster_pass, "time", SimpleNamespace(monotonic=lambda: now_s))
    watch = ClusterPass(ClusterProfile(cluster_id="one", bootstrap="127.0.0.1:9"), "test")
    monkeypatch.setattr(watch._reader, "read", read)
    watch.run()
    assert asked == []  # at the first pass nothing has waited yet
    for _ in range(2):
        began_s = now_s
        watch.run()
        assert asked == [(("t", 0), 100)]
        assert ClusterWatch.objects.get().interval_ms < 9_000
        assert watch.next_s - began_s < 9
