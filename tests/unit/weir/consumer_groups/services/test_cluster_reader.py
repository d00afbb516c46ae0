"""What a reader takes of a broker's answer; with real brokers it is `test_group_watch.py`."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from weir.consumer_groups.services import cluster_reader
from weir.consumer_groups.services.cluster_read import GroupRead
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


class Broker:
    """One that answers what it likes: each group has so many partitions, committed and assigned.

    Args:
        groups: partitions by group.
        newest: the version of OffsetFetch that it takes.
    """

    sent = 0

    def __init__(self, groups: dict[str, int], newest: int = 9) -> None:
        self.groups = groups
        self.newest = newest
        self.at_once: list[int] = []

    def version(self, _request: Any, newest: int) -> int:
        return min(self.newest, newest)

    def send(self, requests: Sequence[Any]) -> list[Any]:
        self.at_once.append(len(requests))
        return [self.answer(request) for request in requests]

    def answer(self, request: Any) -> Any:
        if type(request).__name__.startswith("DescribeGroups"):
            return SimpleNamespace(groups=[self.described(name) for name in request.groups])
        if self.newest < 8:
            return self.offsets(request.group_id)
        return SimpleNamespace(groups=[self.offsets(group.group_id) for group in request.groups])

    def offsets(self, name: str) -> Any:
        partitions = [
            SimpleNamespace(partition_index=at, committed_offset=1, error_code=0)
            for at in range(self.groups[name])
        ]
        topic = SimpleNamespace(name="t", partitions=partitions)
        return SimpleNamespace(group_id=name, error_code=0, topics=[topic])

    def described(self, name: str) -> Any:
        assigned = SimpleNamespace(topic="t", partitions=range(self.groups[name]))
        member = SimpleNamespace(
            client_id="c",
            client_host="/h",
            group_instance_id=None,
            member_assignment=SimpleNamespace(assigned_partitions=[assigned]),
        )
        return SimpleNamespace(group_id=name, group_state="Stable", error_code=0, members=[member])


def reader_of(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> tuple[Any, dict[str, tuple[int, GroupRead]]]:
    reader: Any = ClusterReader(ClusterProfile(cluster_id="home", bootstrap="b:1"))
    monkeypatch.setattr(reader, "_session", lambda _: broker)
    return reader, {name: (1, GroupRead(name, "Stable", "classic")) for name in broker.groups}


@pytest.mark.parametrize("newest", [7, 9])
def test_partitions_beyond_what_is_watched_are_not_kept(monkeypatch: pytest.MonkeyPatch, newest: int) -> None:
    """One cluster's broker, which answers what it likes, must not take the memory of all workspaces."""
    monkeypatch.setattr(cluster_reader, "MAX_PARTITIONS", 250)
    broker = Broker({"a": 100, "b": 200, "c": 150, "d": 1}, newest)
    reader, groups = reader_of(broker, monkeypatch)
    assert reader._fetch_offsets(groups) == 2
    assert {name: len(group.committed) for name, (_, group) in groups.items()} == {"a": 100, "c": 150}


def test_answers_are_taken_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = Broker({f"g{at}": 1 for at in range(1_000)})
    reader, groups = reader_of(broker, monkeypatch)
    assert reader._fetch_offsets(groups) == 0
    assert len(broker.at_once) > 1
    assert set(broker.at_once) == {1}


def test_members_of_more_partitions_than_are_watched_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_reader, "MAX_PARTITIONS", 250)
    reader, groups = reader_of(Broker({"a": 100, "b": 200, "c": 150}), monkeypatch)
    for _ in range(2):  # asked for again, a group's own members leave room for themselves
        reader._describe(1, list(groups), groups, 0.0)
        known = {name: members for name, (_, _, members) in reader._members.items()}
        assert known["b"] is None
        assert {name: len(known[name][0].partitions) for name in "ac"} == {"a": 100, "c": 150}
