"""A pass over a cluster, from what was read to what is stored."""

import time
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from tests.support.group_rows import watched
from weir.consumer_groups.models import ClusterWatch, GroupTopic
from weir.consumer_groups.services import cluster_pass
from weir.consumer_groups.services.cluster_pass import ClusterPass
from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead
from weir.consumer_groups.services.cluster_state import ClusterState
from weir.consumer_groups.services.group_rows import LeaseLostError
from weir.consumer_groups.services.record_times import RecordTimes
from weir.consumer_groups.services.topic_retention import TopicRetention
from weir.workspaces.errors import UnreachableError

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


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

    def read() -> ClusterRead:
        group = GroupRead("g", "Empty", "classic", {("t", 0): 100}, ())
        return ClusterRead(time.time_ns() // 1000, {"g": group}, {("t", 0): 500}, {("t", 0): 0}, 0, 1)

    def record_times(_self: RecordTimes, wanted: Any) -> dict[Any, int]:
        asked.extend(wanted)
        time.sleep(0.6)
        if fails:
            raise UnreachableError("BROKER_UNREACHABLE", "No.")
        return {}

    monkeypatch.setattr(TopicRetention, "of", lambda _, topics: {})
    monkeypatch.setattr(RecordTimes, "read", record_times)
    watch = ClusterPass(ClusterProfile(cluster_id="one", bootstrap="127.0.0.1:9"), "test")
    monkeypatch.setattr(watch._reader, "read", read)
    watch.run()
    assert asked == []  # at the first pass nothing has waited yet
    for _ in range(2):
        began_s = time.monotonic()
        watch.run()
        assert asked == [(("t", 0), 100)]
        assert ClusterWatch.objects.get().interval_ms < 9_000
        assert watch.next_s - began_s < 9
