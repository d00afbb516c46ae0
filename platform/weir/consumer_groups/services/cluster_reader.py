"""Reads all consumer groups of a cluster with as few requests as their number allows.

Each broker lists the groups that it coordinates; one request then asks it for the offsets of many of them
(OffsetFetch from version 8, Kafka 3.0), and one for their members. Members are asked for only when a group's
state changed, and now and then. librdkafka's admin client asks once per group and converts each
partition, which
is what costs (`docs/decisions/2026-11-24-consumer-groups.md`).
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from confluent_kafka import KafkaException
from django.conf import settings

from jobs.cluster_probe import client_options
from jobs.connections import ClusterProfile, PasswordDecryptor
from weir.clusters.services.clients import admin
from weir.clusters.services.reachability import translate_errors
from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead, Member
from weir.consumer_groups.services.group_reading import Partition
from weir.consumer_groups.services.partition_track import NEVER
from weir.workspaces.errors import UnreachableError

TIMEOUT_S: Final = 8.0
OFFSETS_TOPIC: Final = "__consumer_offsets"  # whoever leads a partition of it coordinates the groups in it
MAX_NAME: Final = 255  # characters of a group's id; Kafka takes far longer ones, of any character
MAX_GROUPS: Final = 5_000
MAX_PARTITIONS: Final = 200_000  # of all groups together, a partition of two groups twice
_GROUPS_PER_REQUEST: Final = 200
_REQUESTS_AT_ONCE: Final = 20  # of those that take one group each: what they answer is held together
_PARTITIONS_PER_ANSWER: Final = 50_000
_BROKERS_TTL_S: Final = 30.0
_LEADERS_TTL_S: Final = 60.0
_STARTS_TTL_S: Final = 5.0
_NEW_PROTOCOL_PER_PASS: Final = 20
_MEMBERS_TTL_S: Final = 60.0
_OFFSET_FETCH_VERSION: Final = 9  # the next one names topics by their ids
_MANY_GROUPS_VERSION: Final = 8
_LIST_OFFSETS_VERSION: Final = 7
_LATEST, _EARLIEST = -1, -2
_UNWATCHED_TYPES: Final = frozenset({"share"})  # they have no committed offsets
_DENIED: Final = frozenset({29, 30})  # of a topic, of the group
_CONSUMERS: Final = frozenset({"consumer", ""})  # "": commits without members, as Spark's
_LOG: Final = logging.getLogger(__name__)


class ClusterReader:
    """Reads one cluster again and again. For one thread at a time; the caller closes it.

    Args:
        profile: of the cluster.
    """

    def __init__(self, profile: ClusterProfile) -> None:
        self.profile = profile
        self._sessions: dict[tuple[str, int], Any] = {}
        self._brokers: dict[int, tuple[str, int]] = {}
        self._brokers_until = 0.0
        self._leaders: dict[Partition, int] = {}
        self._leaders_until = 0.0
        self._starts: dict[Partition, int] = {}
        self._starts_until = 0.0
        self._members: dict[str, tuple[str, float, tuple[Member, ...] | None]] = {}
        self._sizes: dict[str, int] = {}  # partitions by group, from the pass before
        self._listed: set[str] = set()  # in the pass before

    def read(self) -> ClusterRead:
        """One pass.

        Raises:
            UnreachableError: a broker does not answer.
            ServiceError: the cluster may not be used, or refuses the user.
        """
        from jobs.kafka_python import KafkaError  # noqa: PLC0415

        before = self._sent
        try:
            return self._read(before)
        except (KafkaError, OSError) as error:
            self.close()
            raise UnreachableError(
                "BROKER_UNREACHABLE",
                f"Kafka cluster {self.profile.bootstrap}: {type(error).__name__}: {error}",
            ) from error

    def close(self) -> None:
        """Close all connections; the next pass opens them again."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        self._brokers_until = 0.0

    @property
    def _sent(self) -> int:
        return sum(session.sent for session in self._sessions.values())

    def _read(self, before: int) -> ClusterRead:
        self._find_brokers()
        groups, left_out = self._list_all_groups()
        at_us = time.time_ns() // 1000
        left_out |= self._fetch_offsets(groups)
        found = {name: group for name, (_, group) in groups.items()}
        self._find_members(groups)
        partitions = set[Partition]().union(*(group.committed for group in found.values()))
        self._find_leaders(partitions)
        ends = self._list_offsets(partitions, _LATEST)
        if time.monotonic() > self._starts_until or partitions - self._starts.keys():
            self._starts = self._list_offsets(partitions, _EARLIEST)
            self._starts_until = time.monotonic() + _STARTS_TTL_S
        requests = self._sent - before
        return ClusterRead(
            at_us, found, ends, self._starts, len(left_out), requests, left_out_names=frozenset(left_out)
        )

    def _session(self, broker: int) -> Any:
        from jobs.kafka_session import BrokerSession  # noqa: PLC0415

        host, port = self._brokers[broker]
        session = self._sessions.get((host, port))
        if session is None:
            password = PasswordDecryptor(settings.ENCRYPTION_KEY_FILE).password(self.profile)
            options = client_options(self.profile, password, host, port)
            session = self._sessions[host, port] = BrokerSession(options, int(TIMEOUT_S * 1000))
        return session

    def _find_brokers(self) -> None:
        """Learn the brokers from librdkafka's client: which ones a cluster may name is checked when it
        is used
        (`weir.clusters.services.identity`).

        Raises:
            UnreachableError: some groups have no coordinator, and the other brokers don't say so: their
                groups would be taken for deleted. It is not known where the user may not see the topic.
        """
        client = admin(self.profile)
        if self._brokers and time.monotonic() < self._brokers_until:
            return
        with translate_errors(self.profile):
            metadata = client.list_topics(OFFSETS_TOPIC, timeout=TIMEOUT_S)
        topic = metadata.topics.get(OFFSETS_TOPIC)
        leaders = [part.leader for part in topic.partitions.values()] if topic else []
        leaderless = sum(leader not in metadata.brokers for leader in leaders)
        if leaderless:
            raise UnreachableError(
                "BROKER_UNREACHABLE",
                f"{leaderless} of {len(leaders)} partitions of {OFFSETS_TOPIC} have no leader, so their "
                "consumer groups can't be read. Start the brokers that have their replicas.",
            )
        self._brokers = {broker.id: (str(broker.host), broker.port) for broker in metadata.brokers.values()}
        for gone in self._sessions.keys() - set(self._brokers.values()):
            self._sessions.pop(gone).close()
        self._brokers_until = time.monotonic() + _BROKERS_TTL_S

    def _list_all_groups(self) -> tuple[dict[str, tuple[int, GroupRead]], set[str]]:
        """The same as `_list_groups`; where a group is gone that was there in the pass before, it is looked
        for twice.
        """
        groups, left_out = self._list_groups()
        if self._listed - groups.keys() - left_out:
            # A broker that shuts down has no groups any more and answers without an error; a group that moves
            # while brokers are asked one by one is seen at neither.
            self._brokers_until = 0.0
            self._find_brokers()
            groups, left_out = self._list_groups()
        self._listed = groups.keys() | left_out
        return groups, left_out

    def _list_groups(self) -> tuple[dict[str, tuple[int, GroupRead]], set[str]]:
        """Groups by name, each with its broker, and the names of those that are left out."""
        from jobs.kafka_python import ListGroupsRequest  # noqa: PLC0415

        found: dict[str, tuple[int, GroupRead]] = {}
        left_out: set[str] = set()
        for broker in self._brokers:
            (answer,) = self._session(broker).send([ListGroupsRequest(states_filter=[], types_filter=[])])
            if answer.error_code:
                # Without this, groups that the broker has not loaded yet would be taken for deleted.
                raise UnreachableError("BROKER_UNREACHABLE", self._not_now(broker, answer.error_code))
            for listed in answer.groups:
                kind = (getattr(listed, "group_type", "") or "classic").lower()
                if kind in _UNWATCHED_TYPES or listed.protocol_type not in _CONSUMERS:
                    continue
                is_storable = len(listed.group_id) <= MAX_NAME and "\0" not in listed.group_id
                if len(found) >= MAX_GROUPS or not is_storable:
                    left_out.add(listed.group_id)
                    continue
                state = getattr(listed, "group_state", "") or ""
                found[listed.group_id] = broker, GroupRead(listed.group_id, state, kind)
        return found, left_out

    def _fetch_offsets(self, groups: dict[str, tuple[int, GroupRead]]) -> set[str]:
        """Give groups what they committed. Those beyond `MAX_PARTITIONS` are removed, and named."""
        sizes: dict[str, int] = {}
        left_out: set[str] = set()
        kept = 0
        for broker, names in _by_broker(groups).items():
            for group, answer in self._offsets_of(broker, [groups[name][1] for name in names]):
                group.denied = answer.error_code in _DENIED
                if answer.error_code and not group.denied:
                    raise UnreachableError("BROKER_UNREACHABLE", self._not_now(broker, answer.error_code))
                committed = _committed(answer)
                sizes[group.name] = len(committed)
                if kept + len(committed) > MAX_PARTITIONS:
                    groups.pop(group.name, None)
                    left_out.add(group.name)
                else:
                    group.committed = committed
                    kept += len(committed)
        self._sizes = sizes
        return left_out

    def _offsets_of(self, broker: int, groups: list[GroupRead]) -> Iterator[tuple[GroupRead, Any]]:
        """The answer for each group, request by request: what a broker answers is as long as it likes."""
        from jobs.kafka_python import OffsetFetchRequest  # noqa: PLC0415

        session = self._session(broker)
        version = session.version(OffsetFetchRequest, _OFFSET_FETCH_VERSION)
        by_name = {group.name: group for group in groups}
        if version >= _MANY_GROUPS_VERSION:
            requests = [
                OffsetFetchRequest(
                    groups=[
                        OffsetFetchRequest.OffsetFetchRequestGroup(
                            group_id=name, member_id=None, member_epoch=-1, topics=None
                        )
                        for name in names
                    ],
                    require_stable=False,
                )
                for names in self._batches(by_name)
            ]
        else:
            requests = [OffsetFetchRequest(group_id=name, topics=None) for name in by_name]
        for request in requests:
            request.API_VERSION = version
        if version >= _MANY_GROUPS_VERSION:
            for request in requests:
                (answer,) = session.send([request])
                for each in answer.groups:
                    yield by_name[each.group_id], each
        else:
            for at in range(0, len(requests), _REQUESTS_AT_ONCE):
                some = slice(at, at + _REQUESTS_AT_ONCE)
                yield from zip(groups[some], session.send(requests[some]), strict=True)

    def _not_now(self, broker: int, code: int) -> str:
        return f"Broker {broker} can't answer for its consumer groups yet (Kafka error {code})."

    def _batches(self, names: Iterable[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for name in names:
            expected = self._sizes.get(name, 100)
            if batch and (len(batch) >= _GROUPS_PER_REQUEST or size + expected > _PARTITIONS_PER_ANSWER):
                yield batch
                batch, size = [], 0
            batch.append(name)
            size += expected
        if batch:
            yield batch

    def _find_members(self, groups: dict[str, tuple[int, GroupRead]]) -> None:
        """Ask for the members of groups whose state changed, or who were not asked for a while."""
        now = time.monotonic()
        for name in self._members.keys() - groups.keys():
            del self._members[name]
        stale: dict[int, list[str]] = defaultdict(list)
        of_new_protocol: list[str] = []
        for name, (broker, group) in groups.items():
            if group.state in ("Empty", "Dead"):
                self._members[name] = group.state, now, ()
                continue
            state, until, _ = self._members.get(name, ("", 0.0, None))
            if state == group.state and now < until:
                continue
            if group.protocol == "classic":
                stale[broker].append(name)
            elif len(of_new_protocol) < _NEW_PROTOCOL_PER_PASS:
                of_new_protocol.append(name)
        for broker, names in stale.items():
            self._describe(broker, names, groups, now)
        if of_new_protocol:
            self._describe_new_protocol(of_new_protocol, groups, now)
        for name, (_, group) in groups.items():
            _, _, group.members = self._members.get(name, ("", 0.0, None))

    def _describe(
        self, broker: int, names: list[str], groups: dict[str, tuple[int, GroupRead]], now: float
    ) -> None:
        from jobs.kafka_python import DescribeGroupsRequest  # noqa: PLC0415

        requests = [
            DescribeGroupsRequest(
                groups=names[at : at + _GROUPS_PER_REQUEST], include_authorized_operations=False
            )
            for at in range(0, len(names), _GROUPS_PER_REQUEST)
        ]
        others = (self._members[name][2] for name in self._members.keys() - set(names))
        room = MAX_PARTITIONS - sum(map(_partitions_of, others))
        session = self._session(broker)
        for request in requests:
            (answer,) = session.send([request])
            for number, described in enumerate(answer.groups):
                group = groups[described.group_id][1]
                group.state = described.group_state or group.state
                members = None if described.error_code else tuple(map(_member, described.members))
                if _partitions_of(members) > room:
                    members = None  # not known, as those of a group that may not be described
                room -= _partitions_of(members)
                # spread, so that not all are asked for in the same pass
                until = now + _MEMBERS_TTL_S * (0.5 + number % 10 / 20)
                self._members[described.group_id] = group.state, until, members

    def _describe_new_protocol(
        self, names: list[str], groups: dict[str, tuple[int, GroupRead]], now: float
    ) -> None:
        """Members of groups of the protocol of KIP-848, which kafka-python does not know: one request
        each.
        """
        futures: Any = admin(self.profile).describe_consumer_groups(names, request_timeout=TIMEOUT_S)
        for name, future in futures.items():
            try:
                described = future.result(TIMEOUT_S)
            except (KafkaException, TimeoutError):
                members = None
            else:
                members = tuple(
                    Member(
                        member.client_id,
                        (member.host or "").removeprefix("/"),
                        member.group_instance_id,
                        tuple(sorted((at.topic, at.partition) for at in member.assignment.topic_partitions)),
                    )
                    for member in described.members
                )
            self._members[name] = groups[name][1].state, now + _MEMBERS_TTL_S, members

    def _find_leaders(self, partitions: set[Partition]) -> None:
        from jobs.kafka_python import MetadataRequest  # noqa: PLC0415

        missing = partitions - self._leaders.keys()
        if time.monotonic() < self._leaders_until and not missing:
            return
        topics = sorted({topic for topic, _ in partitions})
        self._leaders = dict.fromkeys(partitions, -1)  # deleted ones are not asked for with each pass
        if not topics:
            return
        request = MetadataRequest(
            topics=[MetadataRequest.MetadataRequestTopic(name=name) for name in topics],
            allow_auto_topic_creation=False,
        )
        (answer,) = self._session(next(iter(self._brokers))).send([request])
        for topic in answer.topics:
            for part in topic.partitions or ():
                self._leaders[topic.name, part.partition_index] = part.leader_id
        self._leaders_until = time.monotonic() + _LEADERS_TTL_S

    def _list_offsets(self, partitions: set[Partition], which: int) -> dict[Partition, int]:
        """Offsets by partition; without those whose leader does not answer for them."""
        found: dict[Partition, int] = {}
        by_leader: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for topic, partition in partitions:
            leader = self._leaders.get((topic, partition), -1)
            if leader in self._brokers:
                by_leader[leader][topic].append(partition)
        for leader, topics in by_leader.items():
            session = self._session(leader)
            (answer,) = session.send([_offsets_request(session, topics, which)])
            for topic in answer.topics:
                for part in topic.partitions:
                    if part.error_code:
                        self._leaders_until = 0.0
                    else:
                        found[topic.name, part.partition_index] = part.offset
        return found


def _by_broker(groups: dict[str, tuple[int, GroupRead]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for name, (broker, _) in groups.items():
        found[broker].append(name)
    return found


def _committed(answer: Any) -> dict[Partition, int]:
    return {
        (topic.name, part.partition_index): part.committed_offset
        for topic in answer.topics or ()
        for part in topic.partitions
        if part.committed_offset != NEVER and not part.error_code
    }


def _partitions_of(members: Iterable[Member] | None) -> int:
    return sum(len(member.partitions) for member in members or ())


def _member(described: Any) -> Member:
    try:
        partitions = tuple(sorted(_assigned(described.member_assignment)))
    except Exception as error:  # noqa: BLE001 - a group's leader writes these bytes, as it likes
        _LOG.info("the assignment of a member of a consumer group can't be read: %s", error)
        partitions = ()
    host = described.client_host.removeprefix("/")
    return Member(described.client_id, host, described.group_instance_id, partitions)


def _assigned(given: Any) -> list[Partition]:
    from jobs.kafka_python import ConsumerProtocolAssignment  # noqa: PLC0415

    if isinstance(given, bytes | bytearray | memoryview):
        given = ConsumerProtocolAssignment.decode(bytes(given)) if given else None
    parts = given.assigned_partitions if given is not None else ()
    return [(part.topic, number) for part in parts for number in part.partitions]


def _offsets_request(session: Any, topics: dict[str, list[int]], which: int) -> Any:
    from jobs.kafka_python import ListOffsetsRequest  # noqa: PLC0415

    topic_of, request_class = ListOffsetsRequest.ListOffsetsTopic, ListOffsetsRequest
    request = request_class(
        replica_id=-1,
        isolation_level=0,
        topics=[
            topic_of(
                name=name,
                partitions=[
                    topic_of.ListOffsetsPartition(
                        partition_index=number, current_leader_epoch=-1, timestamp=which
                    )
                    for number in numbers
                ],
            )
            for name, numbers in topics.items()
        ],
    )
    request.API_VERSION = session.version(ListOffsetsRequest, _LIST_OFFSETS_VERSION)
    return request
