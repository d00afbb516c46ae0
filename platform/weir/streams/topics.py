"""Verbs about topics: make, change, delete, and who is in the way. Weir's own topics and Kafka's are nobody's to change."""

from typing import Any

from jobs.base.topic_names import is_reserved, is_topic_name, may_be_made
from weir.clusters.models import Cluster
from weir.clusters.services import profile_of
from weir.clusters.topic_settings import add_partitions, change_settings, config_of
from weir.clusters.topics import create_topic, delete_topics, describe_topic, describe_topics
from weir.streams.models import Stream
from weir.streams.ownership import forget_owner, note_owner, topics_of_others
from weir.streams.places import Place
from weir.workspaces.models import User, Workspace
from weir.workspaces.refusals import ConflictError, MissingError, RefusalError
from weir.workspaces.services import record_event


def topic_place(cluster: Cluster, workspace: Workspace, topic: str) -> Place:
    """A topic of a cluster as a place to look at, without a contract.

    Raises:
        MissingError: no such topic, or it belongs to the system or to another workspace.
        UnreachableError: the cluster does not answer.
    """
    profile = profile_of(cluster)
    return Place(profile, topic, describe_topic(profile, open_name(cluster, workspace, topic)).partitions)


def open_name(cluster: Cluster, workspace: Workspace, topic: str) -> str:
    """The name, when it is one that people of this workspace may look at.

    Raises:
        MissingError: no topic can have that name, or it belongs to the system or to another workspace.
    """
    if not is_topic_name(topic) or is_reserved(topic) or topic in topics_of_others(cluster, workspace):
        raise MissingError("TOPIC_GONE", f"Topic {topic[:80]!r} doesn't exist on the cluster.")
    return topic


def add_topic(
    cluster: Cluster, workspace: Workspace, actor: User, name: str, partitions: int, retention_ms: int | None, cleanup: str | None
) -> None:
    """Make a topic.

    Args:
        cluster: where.
        workspace: on whose behalf.
        actor: who asks.
        name: of the topic.
        partitions: how many.
        retention_ms: how long records are kept, -1 for ever; None: the cluster's default.
        cleanup: delete, compact or both; None: the cluster's default.

    Raises:
        RefusalError: no topic can be called so.
        ConflictError: there is one already.
        UnreachableError: the cluster does not answer.
    """
    if not may_be_made(name):
        raise RefusalError(
            "TOPIC_INVALID",
            "Topic names use letters, digits, . - and _ (max 249). Reserved names aren't allowed.",
        )
    profile = profile_of(cluster)
    if describe_topics(profile, [name]):
        raise ConflictError("NAME_TAKEN", f"Topic {name!r} already exists on {cluster.name}.")
    create_topic(profile, name, partitions, config_of(retention_ms, cleanup))
    note_owner(cluster, workspace, name)
    record_event(workspace, "topic", f"Topic {name} created on {cluster.name}", actor=actor.username, subject=name[:80])


def change_topic(cluster: Cluster, workspace: Workspace, actor: User, name: str, changes: dict[str, Any]) -> None:
    """Change retention, compaction or the number of partitions; what is missing or None stays.

    Raises:
        MissingError: no such topic.
        ConflictError: another workspace uses it; or KEYS_WOULD_MOVE: it is registered as a table, and more partitions would move its keys.
        RefusalError: the cluster will not.
        UnreachableError: the cluster does not answer.
    """
    profile = profile_of(cluster)
    facts = describe_topic(profile, open_name(cluster, workspace, name))
    _require_ours(cluster, workspace, name)
    wanted = changes.get("partitions")
    if wanted is not None and wanted < facts.partitions:
        raise RefusalError("PARTITIONS_FEWER", f"Partitions can't be reduced: {name} has {facts.partitions}.")
    if wanted is not None and wanted > facts.partitions:
        _require_keys_to_stay(cluster, workspace, name)
    change_settings(profile, name, changes.get("retention_ms"), changes.get("cleanup"))
    if wanted is not None and wanted > facts.partitions:
        add_partitions(profile, name, wanted)
    record_event(workspace, "topic", f"Topic {name} changed on {cluster.name}", actor=actor.username, subject=name[:80])


def remove_topic(cluster: Cluster, workspace: Workspace, actor: User, name: str) -> None:
    """Delete a topic with all its records. Streams on it must be unregistered first, so that none points at nothing.

    Raises:
        MissingError: no such topic.
        ConflictError: jobs or streams use it; they are named.
        UnreachableError: the cluster does not answer.
    """
    profile = profile_of(cluster)
    describe_topic(profile, open_name(cluster, workspace, name))
    _require_ours(cluster, workspace, name)
    streams = list(Stream.objects.of(workspace).filter(cluster=cluster, topic=name).prefetch_related("uses"))
    jobs = sorted({use.job_name for stream in streams for use in stream.uses.all()})
    if jobs:
        raise ConflictError("IN_USE", f"{name} is used by {', '.join(jobs)}. Delete or edit those jobs first.")
    if streams:
        names = ", ".join(stream.name for stream in streams)
        raise ConflictError("IN_USE", f"{name} is registered as {names}. Unregister it first.")
    delete_topics(profile, [name])
    forget_owner(cluster, name)
    record_event(workspace, "topic", f"Topic {name} deleted on {cluster.name}", actor=actor.username, subject=name[:80])


def _require_keys_to_stay(cluster: Cluster, workspace: Workspace, name: str) -> None:
    """A table is the newest record by key, and Kafka keeps the order of a key's records only within a partition. With more partitions most
    keys get another one: their old rows stay where they are, are never compacted away, and may be read after the new ones.
    """
    streams = Stream.objects.of(workspace).filter(cluster=cluster, topic=name).prefetch_related("uses")
    tables = [stream for stream in streams if stream.stream_contract.kind == "table"]
    if tables:
        jobs = sorted({use.job_name for table in tables for use in table.uses.all()})
        read = f", used by {', '.join(jobs)}" if jobs else ""
        raise ConflictError(
            "KEYS_WOULD_MOVE",
            (
                f"Can't add partitions to a table: {name} is {', '.join(table.name for table in tables)}{read}, and its keys would "
                "move. Create a new topic and copy the rows."
            ),
        )


def _require_ours(cluster: Cluster, workspace: Workspace, name: str) -> None:
    """What another workspace registered too, as two do that use one template, is not ours to change. Whose it is stays untold."""
    if Stream.objects.filter(cluster=cluster, topic=name).exclude(workspace=workspace).exists():
        raise ConflictError("IN_USE", f"{name} is used by another workspace of this installation.")
