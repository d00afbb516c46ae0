"""A list of topics that is older than a change made here is fetched for anew."""

from typing import Any

import pytest

from jobs.connections import ClusterProfile
from weir.clusters.services import topic_list
from weir.clusters.services.topic_changes import note_change


def test_a_change_makes_the_list_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, fetched = ClusterProfile(cluster_id="listed", bootstrap="127.0.0.1:1"), []

    def fetch(of: ClusterProfile) -> tuple[Any, ...]:
        fetched.append(of)
        return ()

    monkeypatch.setattr(topic_list, "_fetch", fetch)
    topic_list.list_topics(profile)
    topic_list.list_topics(profile)
    assert len(fetched) == 1
    note_change(profile)
    topic_list.list_topics(profile)
    topic_list.list_topics(profile)
    assert len(fetched) == 2
