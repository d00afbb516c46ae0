"""Creates, changes and deletes topics. Topics of Weir itself and of Kafka cannot be changed."""

from typing import Any

from django.db import transaction

from jobs.base.topic_names import is_reserved, is_topic_name, may_be_made
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.topic_settings import change_topic_settings, config_of
from weir.clusters.services.topics import (
    delete_topics,
    describe_topic,
    describe_topics,
)
from weir.streams.models import Stream
from weir.streams.services.new_topics import make_own_topic, require_free_name, taken
from weir.streams.services.ownership import (
    TopicReading,
    claim,
    delete_owner,
    has_streams_of_others,
    is_owner,
    lock_topics,
    require_partitions,
    set_partitions,
    topics_of_others,
)
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, User, Workspace
from weir.workspaces.services.events import record_event


def topic_ref(cluster: Cluster, workspace: Workspace, topic: str) -> TopicRef:
    """A reference to a topic, without a contract.

    Raises:
        NotFoundError: no such topic, or it belongs to the system or to another workspace.
        UnreachableError: the cluster does not answer.
    """
    profile = profile_of(cluster)
    partitions = describe_topic(profile, open_name(cluster, workspace, topic)).partitions
    return TopicRef(profile, topic, partitions, reading=TopicReading(workspace.pk, cluster.pk, topic))


def open_name(cluster: Cluster, workspace: Workspace, topic: str) -> str:
    """The name, if users of this workspace may read the topic.

    Raises:
        NotFoundError: no topic can have that name, or it belongs to the system or to another workspace.
    """
    if not is_topic_name(topic) or is_reserved(topic) or topic in topics_of_others(cluster, workspace):
        raise NotFoundError("TOPIC_NOT_FOUND", f"Topic {topic[:80]!r} doesn't exist on the cluster.")
    return topic


def add_topic(
    cluster: Cluster,
    workspace: Workspace,
    actor: User,
    name: str,
    partitions: int,
    retention_ms: int | None,
    cleanup: str | None,
) -> None:
    """Create a topic.

    Args:
        cluster: of the new topic.
        workspace: its owner.
        actor: the user.
        name: of the topic.
        partitions: their number.
        retention_ms: how long records are retained, -1: unlimited; None: the cluster's default.
        cleanup: delete, compact or both; None: the cluster's default.

    Raises:
        ServiceError: the name is invalid; QUOTA_REACHED.
        ConflictError: the topic exists already, or another workspace has a stream of this name's topic.
        UnreachableError: the cluster does not answer.
    """
    if not may_be_made(name):
        raise ServiceError(
            "TOPIC_INVALID",
            "Topic names use letters, digits, . - and _ (max 249). Reserved names aren't allowed.",
        )
    require_free_name(cluster, workspace, name)
    if describe_topics(profile_of(cluster), [name]):
        raise taken(cluster, name)
    make_own_topic(cluster, workspace, name, partitions, config_of(retention_ms, cleanup))
    record_event(
        workspace,
        "topic",
        f"Topic {name} created on {cluster.name}",
        actor=actor.username,
        subject=name[:80],
        action=Action.CREATED,
    )


def change_topic(
    cluster: Cluster, workspace: Workspace, actor: User, name: str, changes: dict[str, Any]
) -> None:
    """Change retention, compaction and the number of partitions, all that is given or nothing; missing or
    None: unchanged.

    Raises:
        NotFoundError: no such topic.
        ConflictError: another workspace uses it; or KEYS_WOULD_MOVE: it is registered as a table, and more
            partitions would move its keys.
        ServiceError: the cluster rejects the change; QUOTA_REACHED.
        UnreachableError: the cluster does not answer.
    """
    profile = profile_of(cluster)
    info = describe_topic(profile, open_name(cluster, workspace, name))
    _require_ours(cluster, workspace, name)
    retention_ms, cleanup = changes.get("retention_ms"), changes.get("cleanup")
    wanted = changes.get("partitions") or info.partitions
    if wanted < info.partitions:
        raise ServiceError("PARTITIONS_FEWER", f"Partitions can't be reduced: {name} has {info.partitions}.")
    more = wanted - info.partitions
    if more:
        _require_keys_to_stay(cluster, workspace, name)
        require_partitions(cluster, workspace, more)
    if not more and retention_ms is None and cleanup is None:
        return
    change_topic_settings(profile, name, retention_ms, cleanup, wanted if more else None)
    if more:
        set_partitions(cluster, name, wanted)
    record_event(
        workspace,
        "topic",
        f"Topic {name} changed on {cluster.name}",
        actor=actor.username,
        subject=name[:80],
        action=Action.CHANGED,
    )


def remove_topic(cluster: Cluster, workspace: Workspace, actor: User, name: str) -> None:
    """Delete a topic with all its records. Streams on it must be unregistered first.

    One that Kafka does not have any more is forgotten: it was deleted after an earlier request had timed out,
    or by other means.

    Raises:
        NotFoundError: no such topic, and this workspace made none.
        ConflictError: jobs or streams use it; they are named.
        UnreachableError: the cluster does not answer.
    """
    profile, partitions = profile_of(cluster), 0
    try:
        partitions = describe_topic(profile, open_name(cluster, workspace, name)).partitions
    except NotFoundError:
        if not is_owner(cluster, workspace, name):
            raise
    with transaction.atomic():
        lock_topics(cluster)
        _require_ours(cluster, workspace, name)
        _require_unused(cluster, workspace, name)
        # Else another workspace could register it before Kafka has deleted it.
        is_claimed = claim(cluster, workspace, name, partitions)
    try:
        delete_topics(profile, [name])
    except ServiceError:
        if is_claimed:
            delete_owner(cluster, workspace, name)
        raise
    delete_owner(cluster, workspace, name)
    record_event(
        workspace,
        "topic",
        f"Topic {name} deleted on {cluster.name}",
        actor=actor.username,
        subject=name[:80],
        action=Action.DELETED,
    )


def _require_unused(cluster: Cluster, workspace: Workspace, name: str) -> None:
    streams = list(Stream.objects.of(workspace).filter(cluster=cluster, topic=name).prefetch_related("uses"))
    jobs = sorted({use.job_name for stream in streams for use in stream.uses.all()})
    if jobs:
        raise ConflictError(
            "IN_USE", f"{name} is used by {', '.join(jobs)}. Delete or edit those jobs first."
        )
    if streams:
        names = ", ".join(stream.name for stream in streams)
        raise ConflictError("IN_USE", f"{name} is registered as {names}. Unregister it first.")


def _require_keys_to_stay(cluster: Cluster, workspace: Workspace, name: str) -> None:
    """Refuse more partitions for a topic that is registered as a table.

    Kafka keeps the order of a key's records only within a partition. With more partitions most keys
    move to another one: their old rows stay in the previous partition, are never compacted away, and
    may be read after the new ones.
    """
    streams = Stream.objects.of(workspace).filter(cluster=cluster, topic=name).prefetch_related("uses")
    tables = [stream for stream in streams if stream.kind == "table"]
    if tables:
        jobs = sorted({use.job_name for table in tables for use in table.uses.all()})
        named = ", ".join(table.name for table in tables)
        read = f", used by {', '.join(jobs)}" if jobs else ""
        raise ConflictError(
            "KEYS_WOULD_MOVE",
            f"Can't add partitions: topic {name} is the table {named}{read}, and its keys would move. "
            "Create a new topic and copy the rows.",
        )


def _require_ours(cluster: Cluster, workspace: Workspace, name: str) -> None:
    """Refuse changes of a topic that another workspace has registered too. The message
    does not name that workspace.
    """
    if has_streams_of_others(cluster, workspace, name):
        raise ConflictError("IN_USE", f"{name} is used by another workspace of this installation.")
