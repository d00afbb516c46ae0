"""Who is watched when; with real brokers it is `test_group_watch.py`."""

import threading

import pytest

from jobs.connections import ClusterProfile
from weir.clusters.models import HOME
from weir.consumer_groups.services import watcher
from weir.consumer_groups.services.watcher import Watcher


def test_the_home_cluster_waits_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters of one workspace that hang would hold up what all workspaces see of the home cluster."""
    read, answered = threading.Event(), threading.Event()

    class Pass:
        next_s = 0.0

        def __init__(self, profile: ClusterProfile, _: str) -> None:
            self.profile = profile

        def run(self) -> None:
            if self.profile.cluster_id == HOME:
                read.set()
            else:
                answered.wait(60)

        def close(self) -> None:
            """Nothing is open."""

    monkeypatch.setattr(watcher, "ClusterPass", Pass)
    watch = Watcher(threading.Event(), "this")
    names = [f"slow{number}" for number in range(watcher._WORKERS + 1)]
    watch._profiles = {name: ClusterProfile(cluster_id=name, bootstrap="b:1") for name in (*names, HOME)}
    try:
        for name in watch._profiles:
            watch._begin(name)
        assert read.wait(20)
    finally:
        answered.set()
        for pool in (watch._pool, watch._home_pool):
            pool.shutdown(wait=True, cancel_futures=True)
