"""Moves the committed offsets of a group: planned first, so that people see what it does, then applied."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition

from jobs.connections import ClusterProfile
from weir.clusters.models import Cluster
from weir.clusters.services.clients import admin
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.groups import delete_group
from weir.clusters.services.offsets import at_or_after, offsets, watermarks
from weir.clusters.services.reachability import TIMEOUT_S, translate_errors
from weir.clusters.services.topics import describe_topic
from weir.consumer_groups.services.group_rows import forget_group
from weir.consumer_groups.services.visible_groups import VisibleGroup, find_group, hides_topics
from weir.streams.services.topics import open_name
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event

Target = Literal["earliest", "latest", "time", "offset", "by"]
TARGETS: Final[tuple[Target, ...]] = ("earliest", "latest", "time", "offset", "by")
MAX_PARTITIONS: Final = 10_000
_INACTIVE: Final = frozenset({"empty", "dead"})
_ACTIVE_ERRORS: Final = (
    KafkaError.NON_EMPTY_GROUP,
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.REBALANCE_IN_PROGRESS,
)
Partition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Wish:
    """Where offsets shall be moved.

    Attributes:
        target: kind of position.
        offset: for ``offset`` the next one to read, for ``by`` how many records forward, negative back.
        time: for ``time``: the first record written then or later.
        partitions: partitions by topic; an empty list: all of that topic; no topic: all that the group
            has committed.
    """

    target: Target
    offset: int | None = None
    time: datetime | None = None
    partitions: Mapping[str, list[int]] | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """What happens to one partition.

    Attributes:
        before: committed now; None where nothing is.
        after: the next record to read then.
        cut: the wish lay outside of what the log holds.
    """

    topic: str
    partition: int
    before: int | None
    after: int
    start: int
    end: int
    cut: bool

    @property
    def change(self) -> int:
        """Records that are skipped; negative: that are read again. From the log's start where nothing is
        committed.
        """
        return self.after - (self.before if self.before is not None else self.start)


@dataclass(frozen=True, slots=True)
class Plan:
    """All moves, and whether they can be done now.

    Attributes:
        moves: by topic and partition.
        refused: why they cannot be done; empty if they can.
    """

    moves: tuple[Move, ...]
    refused: str = ""


def plan_move(workspace: Workspace, cluster_id: str, group: str, wish: Wish) -> Plan:
    """What a move would do; nothing is changed.

    Raises:
        NotFoundError: no such group or topic.
        ServiceError: the wish is not complete, or names partitions that do not exist; UnreachableError.
    """
    seen = find_group(workspace, cluster_id, group)
    moves = _moves(workspace, seen, wish)
    return Plan(moves, _refusal(seen))


def move_offsets(workspace: Workspace, actor: User, cluster_id: str, group: str, wish: Wish) -> Plan:
    """Move the offsets of a group that nobody uses.

    Raises:
        NotFoundError: no such group or topic.
        ConflictError: GROUP_ACTIVE, or MIRROR_GROUP; PARTLY_MOVED, the cluster rejected some of the moves.
        ServiceError: the wish is not complete, or names partitions that do not exist; UnreachableError.
    """
    seen = find_group(workspace, cluster_id, group)
    _require_inactive(seen)
    moves = _moves(workspace, seen, wish)
    changed = [move for move in moves if move.after != move.before]
    if changed:
        profile = profile_of(seen.cluster)
        wanted = [TopicPartition(move.topic, move.partition, move.after) for move in changed]
        with translate_errors(profile), _active_as_conflict(group):
            request: Any = admin(profile).alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(group, wanted)], request_timeout=TIMEOUT_S
            )
            answers = request[group].result(TIMEOUT_S).topic_partitions
            failed = {(each.topic, each.partition): each.error for each in answers if each.error is not None}
            if len(failed) == len(changed):
                raise KafkaException(next(iter(failed.values())))
        moved = [move for move in changed if (move.topic, move.partition) not in failed]
        text = _sentence(group, seen.cluster, moved)
        _record(workspace, actor, seen.cluster, group, text, Action.CHANGED)
        if failed:
            (topic, partition), error = next(iter(failed.items()))
            raise ConflictError(
                "PARTLY_MOVED",
                f"{len(failed)} of {len(changed)} partitions weren't moved, such as partition {partition} of "
                f"{topic}: {error.str()}. The others were.",
            )
    return Plan(moves)


def remove_group(workspace: Workspace, actor: User, cluster_id: str, group: str) -> None:
    """Delete a group that nobody uses, with all its offsets.

    Raises:
        NotFoundError: no such group.
        ConflictError: GROUP_ACTIVE, MIRROR_GROUP, or IN_USE: it has offsets of topics of others.
        ServiceError: the cluster does not allow it; UnreachableError.
    """
    seen = find_group(workspace, cluster_id, group)
    _require_inactive(seen)
    profile = profile_of(seen.cluster)
    # The last pass may be older than what another workspace has read or registered.
    topics = {topic for topic, _ in _committed(profile, group)}
    if seen.has_hidden or hides_topics(workspace, seen.cluster, topics):
        raise ConflictError("IN_USE", f"{group} is used by another workspace of this installation.")
    with translate_errors(profile), _active_as_conflict(group):
        delete_group(profile, group)
    forget_group(seen.cluster.pk, group)
    text = f"Consumer group {group} deleted on {seen.cluster.name}"
    _record(workspace, actor, seen.cluster, group, text, Action.DELETED)


def _moves(workspace: Workspace, seen: VisibleGroup, wish: Wish) -> tuple[Move, ...]:
    profile = profile_of(seen.cluster)
    visible = {topic.topic for topic in seen.topics}
    committed = {
        at: offset
        for at, offset in _committed(profile, seen.group.name).items()
        if at[0] in visible or at[0] in (wish.partitions or {})
    }
    chosen = _chosen(workspace, seen, profile, wish, committed)
    if len(chosen) > MAX_PARTITIONS:
        raise ServiceError(
            "TOO_MANY_PARTITIONS", f"At most {MAX_PARTITIONS:,} partitions can be moved at once."
        )
    counts: dict[str, int] = {}
    for topic, partition in chosen:
        counts[topic] = max(counts.get(topic, 0), partition + 1)
    bounds = watermarks(profile, counts) if counts else {}
    targets = _targets(profile, wish, chosen, bounds, committed)
    return tuple(
        Move(
            *at,
            committed.get(at),
            min(max(targets[at], bounds[at][0]), bounds[at][1]),
            *bounds[at],
            cut=not bounds[at][0] <= targets[at] <= bounds[at][1],
        )
        for at in sorted(chosen)
    )


def _chosen(
    workspace: Workspace,
    seen: VisibleGroup,
    profile: ClusterProfile,
    wish: Wish,
    committed: Mapping[Partition, int],
) -> set[Partition]:
    if not wish.partitions:
        return set(committed)
    chosen: set[Partition] = set()
    for topic, numbers in wish.partitions.items():
        there = describe_topic(profile, open_name(seen.cluster, workspace, topic)).partitions
        if numbers and max(numbers) >= there:
            raise ServiceError("NO_SUCH_PARTITION", f"{topic} has {there} partitions, 0 to {there - 1}.")
        chosen |= {(topic, number) for number in numbers or range(there)}
    return chosen


def _targets(
    profile: ClusterProfile,
    wish: Wish,
    chosen: set[Partition],
    bounds: Mapping[Partition, tuple[int, int]],
    committed: Mapping[Partition, int],
) -> dict[Partition, int]:
    match wish.target:
        case "earliest":
            return {at: bounds[at][0] for at in chosen}
        case "latest":
            return {at: bounds[at][1] for at in chosen}
        case "offset" if wish.offset is not None and wish.offset >= 0:
            return dict.fromkeys(chosen, wish.offset)
        case "by" if wish.offset is not None:
            return {at: committed.get(at, bounds[at][0]) + wish.offset for at in chosen}
        case "time" if wish.time is not None:
            spec = at_or_after(int(wish.time.timestamp() * 1000))
            found = offsets(profile, {TopicPartition(*at): spec for at in chosen})
            # no record was written since then: everything is read already
            return {at: offset if offset >= 0 else bounds[at][1] for at, offset in found.items()}
    needed = "a time" if wish.target == "time" else "an offset"
    raise ServiceError("TARGET_INVALID", f"Moving {wish.target!r} needs {needed}.")


def _committed(profile: ClusterProfile, group: str) -> dict[Partition, int]:
    with translate_errors(profile):
        request: Any = admin(profile).list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group)], request_timeout=TIMEOUT_S
        )
        found = request[group].result(TIMEOUT_S).topic_partitions
    return {(each.topic, each.partition): each.offset for each in found if each.offset >= 0}


def _refusal(seen: VisibleGroup) -> str:
    try:
        _require_inactive(seen)
    except ConflictError as error:
        return error.detail
    return ""


def _require_inactive(seen: VisibleGroup) -> None:
    name = seen.group.name
    if seen.mirrored_job:
        raise ConflictError(
            "MIRROR_GROUP",
            f"{name} mirrors the positions of job {seen.mirrored_job}; moving it would not move the job. "
            "Start the job anew from another position.",
        )
    profile = profile_of(seen.cluster)
    with translate_errors(profile):
        request: Any = admin(profile).describe_consumer_groups([name], request_timeout=TIMEOUT_S)
        try:
            described = request[name].result(TIMEOUT_S)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND:
                raise NotFoundError(
                    "GROUP_NOT_FOUND", f"Consumer group {name[:80]!r} doesn't exist."
                ) from error
            raise
    if described.state.name.lower() not in _INACTIVE:
        raise _active(name, len(described.members))


def _active(group: str, members: int | None = None) -> ConflictError:
    count = "members" if members is None else f"{members} member{'' if members == 1 else 's'}"
    return ConflictError(
        "GROUP_ACTIVE",
        f"{group} has {count}: they would overwrite the change with their next commit. Stop them first.",
    )


@contextmanager
def _active_as_conflict(group: str) -> Iterator[None]:
    """Tell a group that became active meanwhile from other refusals."""
    try:
        yield
    except KafkaException as error:
        if error.args[0].code() in _ACTIVE_ERRORS:
            raise _active(group) from error
        raise


def _sentence(group: str, cluster: Cluster, changed: list[Move]) -> str:
    skipped = sum(max(0, move.change) for move in changed)
    again = sum(max(0, -move.change) for move in changed)
    topics = ", ".join(sorted({move.topic for move in changed}))
    moved = f"{len(changed)} partition{'' if len(changed) == 1 else 's'}"
    return (
        f"Offsets of consumer group {group} moved on {cluster.name}: {moved} of {topics}, "
        f"{skipped:,} records skipped, {again:,} read again"
    )


def _record(
    workspace: Workspace, actor: User, cluster: Cluster, group: str, text: str, action: Action
) -> None:
    record_event(
        workspace,
        Event.Kind.CONSUMER_GROUP,
        text,
        actor=actor.username,
        subject=group[:80],
        cluster=cluster.pk,
        action=action,
    )
