"""Numbers of several topics, some of which are gone."""

from typing import Any

import pytest
from django.core.cache import cache

from tests.support.fake_topic import PROFILE
from weir.clusters.services.topics import TopicInfo
from weir.streams.services import topic_stats
from weir.streams.services.topic_stats import Traffic, fetch_traffic
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
