"""A list of topics that is older than a change made here is asked for anew."""

from typing import Any

import pytest

from jobs.connections import ClusterProfile
from weir.clusters import catalogue as listing
from weir.clusters.topic_changes import note_change


def test_a_change_makes_the_list_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, asked = ClusterProfile(cluster_id="listed", bootstrap="127.0.0.1:1"), []

    def ask(of: ClusterProfile) -> tuple[Any, ...]:
        asked.append(of)
        return ()

    monkeypatch.setattr(listing, "_ask", ask)
    listing.catalogue(profile)
    listing.catalogue(profile)
    assert len(asked) == 1
    note_change(profile)
    listing.catalogue(profile)
    listing.catalogue(profile)
    assert len(asked) == 2
