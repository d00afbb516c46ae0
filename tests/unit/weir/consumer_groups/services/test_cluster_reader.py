"""What a reader takes of a broker's answer; with real brokers it is `test_group_watch.py`."""

from types import SimpleNamespace
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from weir.consumer_groups.services.cluster_reader import MAX_NAME, ClusterReader

LONGEST = "g" * MAX_NAME


def test_groups_that_no_database_takes_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka takes any text as a group's id, from whoever may commit: one of them would end each pass."""
    names = ["plain", LONGEST, LONGEST + "g", "a\0b"]
    groups = [SimpleNamespace(group_id=name, protocol_type="consumer", group_state="Empty") for name in names]
    reader: Any = ClusterReader(ClusterProfile(cluster_id="home", bootstrap="b:1"))
    reader._brokers = {1: ("b", 1)}
    session = SimpleNamespace(send=lambda _: [SimpleNamespace(error_code=0, groups=groups)])
    monkeypatch.setattr(reader, "_session", lambda _: session)
    found, left_out = reader._list_groups()
    assert (list(found), left_out) == (["plain", LONGEST], 2)
