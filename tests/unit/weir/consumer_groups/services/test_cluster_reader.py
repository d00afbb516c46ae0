"""What a reader takes of a broker's answer; with real brokers it is `test_group_watch.py`."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from weir.consumer_groups.services import cluster_reader
from weir.consumer_groups.services.cluster_read import GroupRead
from weir.consumer_groups.services.cluster_reader import MAX_NAME, ClusterReader
from weir.workspaces.errors import UnreachableError

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
    assert (list(found), left_out) == (["plain", LONGEST], {LONGEST + "g", "a\0b"})


def metadata_of(leaders: dict[int, int], error: Any = None) -> Any:
    """What librdkafka says of a cluster whose one broker is 1.

    Args:
        leaders: of `__consumer_offsets`, by partition.
        error: of the topic.
    """
    partitions = {at: SimpleNamespace(leader=leader) for at, leader in leaders.items()}
    return SimpleNamespace(
        brokers={1: SimpleNamespace(id=1, host="b", port=1)},
        topics={"__consumer_offsets": SimpleNamespace(error=error, partitions=partitions)},
    )


def reader_with(metadata: list[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A reader whose client says the first of these, and the next one each time it is asked again."""
    client = SimpleNamespace(
        list_topics=lambda *_, **__: metadata.pop(0) if len(metadata) > 1 else metadata[0]
    )
    monkeypatch.setattr(cluster_reader, "admin", lambda _: client)
    return ClusterReader(ClusterProfile(cluster_id="home", bootstrap="b:1"))


@pytest.mark.parametrize("leader", [-1, 2])  # nobody, and a broker that is not there
def test_a_partition_of_groups_without_a_leader_is_a_failed_pass(
    monkeypatch: pytest.MonkeyPatch, leader: int
) -> None:
    """The other brokers list their groups without an error; those of the partition are not deleted."""
    reader = reader_with([metadata_of({0: 1, 1: leader})], monkeypatch)
    for _ in range(2):  # nothing of it is kept for the next pass
        with pytest.raises(UnreachableError, match="1 of 2 partitions of __consumer_offsets"):
            reader._find_brokers()


@pytest.mark.parametrize("error", [None, "TOPIC_AUTHORIZATION_FAILED", "UNKNOWN_TOPIC_OR_PART"])
def test_a_topic_of_groups_that_is_denied_or_missing_says_nothing(
    monkeypatch: pytest.MonkeyPatch, error: str | None
) -> None:
    reader = reader_with([metadata_of({} if error else {0: 1}, error)], monkeypatch)
    reader._find_brokers()
    assert reader._brokers == {1: ("b", 1)}


def listing(*names: str) -> Any:
    groups = [SimpleNamespace(group_id=name, protocol_type="consumer", group_state="Empty") for name in names]
    return [SimpleNamespace(error_code=0, groups=groups)]


def test_a_coordinator_that_shuts_down_lists_no_groups_and_none_is_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It answers for a moment after it has given its partitions back."""
    reader = reader_with([metadata_of({0: 1}), metadata_of({0: -1})], monkeypatch)
    answers = [listing("a", "b"), listing()]
    session = SimpleNamespace(send=lambda _: answers.pop(0), close=lambda: None)
    monkeypatch.setattr(reader, "_session", lambda _: session)
    reader._find_brokers()
    assert list(reader._list_all_groups()[0]) == ["a", "b"]
    with pytest.raises(UnreachableError, match="1 of 1 partitions"):
        reader._list_all_groups()


def test_a_group_that_moved_while_brokers_were_asked_is_found_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = reader_with([metadata_of({0: 1})], monkeypatch)
    answers = [listing("a", "b"), listing("a"), listing("a", "b"), listing("a"), listing("a")]
    monkeypatch.setattr(reader, "_session", lambda _: SimpleNamespace(send=lambda _: answers.pop(0)))
    reader._find_brokers()
    assert [list(reader._list_all_groups()[0]) for _ in range(3)] == [["a", "b"], ["a", "b"], ["a"]]


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


@pytest.mark.parametrize("written", [b"\0", b"garbage!", b'{"a":1}', b"\0\0\xff\xff\xff\xff\0\0\0\0"])
def test_an_assignment_in_a_form_of_its_own_hides_no_other_group(
    monkeypatch: pytest.MonkeyPatch, written: bytes
) -> None:
    """A group's leader may write any bytes; the member is there, and what it reads is not known."""
    broker = Broker({"a": 2, "b": 3}, 9)
    usual = broker.described

    def described(name: str) -> Any:
        found = usual(name)
        if name == "a":
            found.members[0].member_assignment = written
        return found

    monkeypatch.setattr(broker, "described", described)
    reader, groups = reader_of(broker, monkeypatch)
    reader._describe(1, ["a", "b"], groups, 0.0)
    members = {name: reader._members[name][2] for name in ("a", "b")}
    assert {name: len(found[0].partitions) for name, found in members.items()} == {"a": 0, "b": 3}


@pytest.mark.parametrize("newest", [7, 9])
def test_partitions_beyond_what_is_watched_are_not_kept(monkeypatch: pytest.MonkeyPatch, newest: int) -> None:
    """One cluster's broker, which answers what it likes, must not take the memory of all workspaces."""
    monkeypatch.setattr(cluster_reader, "MAX_PARTITIONS", 250)
    broker = Broker({"a": 100, "b": 200, "c": 150, "d": 1}, newest)
    reader, groups = reader_of(broker, monkeypatch)
    assert reader._fetch_offsets(groups) == {"b", "d"}
    assert {name: len(group.committed) for name, (_, group) in groups.items()} == {"a": 100, "c": 150}


def test_answers_are_taken_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = Broker({f"g{at}": 1 for at in range(1_000)})
    reader, groups = reader_of(broker, monkeypatch)
    assert reader._fetch_offsets(groups) == set()
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
