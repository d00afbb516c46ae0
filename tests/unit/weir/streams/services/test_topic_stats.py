"""Numbers of several topics, some of which are gone, have grown, or have a partition that nobody leads."""

import threading
from collections.abc import Collection
from concurrent.futures import wait
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from django.core.cache import cache

from jobs.connections import ClusterProfile
from tests.support.fake_topic import PROFILE
from weir.clusters.services.topics import TopicInfo
from weir.streams.services import topic_stats
from weir.streams.services.topic_stats import Traffic, fetch_traffic, fetch_within
from weir.workspaces.errors import NotFoundError

THERE = {"orders": 2, "clicks": 1, "views": 3}
LEADERLESS = ("views", 1)


@pytest.fixture(autouse=True)
def _cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten records in each partition, all of them within the window."""
    cache.clear()
    answers = iter([0, 10, 0])

    def known_offsets(profile: Any, specs: dict[TopicPartition, Any]) -> dict[tuple[str, int], int]:
        offset = next(answers)
        ids = [(at.topic, at.partition) for at in specs]
        return {at: offset for at in ids if at != LEADERLESS}

    def describe_topics(profile: Any, names: list[str]) -> dict[str, TopicInfo]:
        return {name: TopicInfo(name, "id", THERE[name]) for name in names if name in THERE}

    monkeypatch.setattr(topic_stats, "known_offsets", known_offsets)
    monkeypatch.setattr(topic_stats, "describe_topics", describe_topics)


def test_what_is_not_known_of_one_topic_does_not_take_the_numbers_of_others() -> None:
    """Nor is a part of them told as all."""
    assert fetch_traffic(PROFILE, ["orders", "gone", "clicks", "views"]) == {
        "orders": Traffic(2, 20, 20 / 60),
        "clicks": Traffic(1, 10, 10 / 60),
        "views": Traffic(3, None, None),
    }


def test_a_topic_alone_is_said_to_be_gone() -> None:
    with pytest.raises(NotFoundError):
        fetch_traffic(PROFILE, ["gone"])


def test_clusters_of_one_page_that_hang_keep_no_other_page_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    answered, asked = threading.Event(), threading.Semaphore(0)

    def hang(profile: ClusterProfile, names: Collection[str]) -> dict[str, Traffic]:
        if profile.cluster_id.startswith("slow"):
            asked.release()
            answered.wait(60)
        return dict.fromkeys(names, Traffic(1, 1, 0.0))

    def wait_in_vain(calls: Any, timeout: float) -> Any:
        """All threads have a cluster that hangs."""
        for _ in range(topic_stats._THREADS):
            assert asked.acquire(timeout=60)
        return wait(calls, timeout)

    monkeypatch.setattr(topic_stats, "fetch_traffic", hang)
    monkeypatch.setattr(topic_stats, "FETCH_TIMEOUT_S", 0.2)
    monkeypatch.setattr(topic_stats, "wait", wait_in_vain)
    slow = {
        ClusterProfile(cluster_id=f"slow{number}", bootstrap="b:1"): {"orders"}
        for number in range(topic_stats._THREADS + 1)
    }
    try:
        found, errors = fetch_within(slow)
        assert (found, len(errors)) == ({}, len(slow))
        assert sum("wasn't asked" in error for error in errors.values()) == 1
        monkeypatch.setattr(topic_stats, "FETCH_TIMEOUT_S", 20.0)
        monkeypatch.setattr(topic_stats, "wait", wait)
        found, errors = fetch_within({PROFILE: {"orders"}})
        assert (found, errors) == ({PROFILE: {"orders": Traffic(1, 1, 0.0)}}, {})
    finally:
        answered.set()
