"""Numbers of several topics, some of which are gone."""

import threading
from typing import Any

import pytest
from django.core.cache import cache

from jobs.connections import ClusterProfile
from tests.support.fake_topic import PROFILE
from weir.clusters.services.topics import TopicInfo
from weir.streams.services import topic_stats
from weir.streams.services.topic_stats import Traffic, fetch_traffic, fetch_within
from weir.workspaces.errors import NotFoundError

THERE = {"orders": 2, "clicks": 1}


@pytest.fixture(autouse=True)
def _cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten records in each partition, none of them new."""
    cache.clear()

    def watermarks(profile: Any, topics: dict[str, int]) -> dict[tuple[str, int], tuple[int, int]]:
        if any(count > THERE.get(name, 0) for name, count in topics.items()):
            raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")
        return {(name, number): (0, 10) for name, count in topics.items() for number in range(count)}

    def describe_topics(profile: Any, names: list[str]) -> dict[str, TopicInfo]:
        return {name: TopicInfo(name, "id", THERE[name]) for name in names if name in THERE}

    monkeypatch.setattr(topic_stats, "watermarks", watermarks)
    monkeypatch.setattr(
        topic_stats, "offsets", lambda profile, specs: {(at.topic, at.partition): -1 for at in specs}
    )
    monkeypatch.setattr(topic_stats, "describe_topics", describe_topics)


def test_a_topic_that_is_gone_does_not_take_the_numbers_of_others() -> None:
    found = fetch_traffic(PROFILE, {"orders": 2, "gone": 1, "clicks": 3})
    assert found == {"orders": Traffic(20, 0.0), "clicks": Traffic(10, 0.0)}


def test_a_topic_alone_is_said_to_be_gone() -> None:
    with pytest.raises(NotFoundError):
        fetch_traffic(PROFILE, {"gone": 1})


def test_clusters_of_one_page_that_hang_keep_no_other_page_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()

    def hang(profile: ClusterProfile, names: dict[str, int]) -> dict[str, Traffic]:
        if profile.cluster_id.startswith("slow"):
            answered.wait(60)
        return dict.fromkeys(names, Traffic(1, 0.0))

    monkeypatch.setattr(topic_stats, "fetch_traffic", hang)
    monkeypatch.setattr(topic_stats, "FETCH_TIMEOUT_S", 0.2)
    slow = {
        ClusterProfile(cluster_id=f"slow{number}", bootstrap="b:1"): {"orders": 1}
        for number in range(topic_stats._THREADS + 1)
    }
    try:
        found, errors = fetch_within(slow)
        assert (found, len(errors)) == ({}, len(slow))
        assert sum("wasn't asked" in error for error in errors.values()) == 1
        monkeypatch.setattr(topic_stats, "FETCH_TIMEOUT_S", 20.0)
        found, errors = fetch_within({PROFILE: {"orders": 2}})
        assert (found, errors) == ({PROFILE: {"orders": Traffic(1, 0.0)}}, {})
    finally:
        answered.set()
