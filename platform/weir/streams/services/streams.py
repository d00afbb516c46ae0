"""Streams: register, change, unregister, find."""

import json
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import TextField
from django.db.models.functions import Cast, Length

from jobs.base.names import NAME_RULE, is_name
from jobs.base.topic_names import is_reserved, is_topic_name, may_be_made
from jobs.formats.contract import StreamContract
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.topic_settings import UNLIMITED, Cleanup, config_of
from weir.clusters.services.topics import TopicInfo, describe_topic, describe_topics
from weir.schemas.services.contract_schemas import with_schemas
from weir.streams.models import Stream, StreamUse
from weir.streams.services.catalog import Catalog
from weir.streams.services.contracts import read_contract
from weir.streams.services.impact_hooks import require_no_breakage
from weir.streams.services.new_topics import make_own_topic, taken
from weir.streams.services.ownership import lock_topics, topics_of_others
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.revisions import require_revision
from weir.workspaces.services.uniqueness import unique_or


@dataclass(frozen=True)
class NewTopic:
    """Settings of a topic that is created for a stream.

    Attributes:
        partitions: their number.
        retention_ms: how long records are retained, -1: unlimited; None: the cluster's
            default, for a table unlimited.
        cleanup: the cleanup policy; None: what the contract needs, compaction for most tables.
    """

    partitions: int
    retention_ms: int | None = None
    cleanup: Cleanup | None = None


def register_stream(
    workspace: Workspace,
    actor: User,
    *,
    name: str,
    cluster: Cluster,
    topic: str,
    contract: Any,
    description: str = "",
    create: NewTopic | None = None,
    shared: bool = False,
) -> Stream:
    """Register a topic as a stream.

    Args:
        workspace: its owner.
        actor: the user.
        name: of the stream, as jobs refer to it.
        cluster: of the topic: the home cluster or one of the workspace.
        topic: an existing topic, or the one to create.
        contract: what a record must be, in the API's form.
        description: free text.
        create: settings of a topic to create; None: it must exist.
        shared: other workspaces may have streams on it too, as on the topics of an example.

    Raises:
        ServiceError: a name or the contract is not valid; CLEANUP_INCOMPATIBLE, compaction
            would lose rows of the table; QUOTA_REACHED.
        ConflictError: the name of the stream, or of the topic to create, is taken.
        NotFoundError: no such topic, or it is another workspace's.
        UnreachableError: the cluster does not answer.
    """
    _require_valid_names(name, topic, new_topic=create is not None)
    typed = read_contract(with_schemas(workspace, contract))
    if Stream.objects.of(workspace).filter(name=name).exists():
        raise ConflictError("NAME_TAKEN", f"Stream name {name!r} is taken.")
    require_room("streams", Stream.objects.of(workspace).count())
    _require_room_for(workspace, typed)
    if not shared:
        _require_no_other_owner(workspace, cluster, topic, new_topic=create is not None)
    info = (
        describe_topic(profile_of(cluster), topic)
        if create is None
        else _create_topic(cluster, workspace, topic, typed, create)
    )
    with unique_or(ConflictError("NAME_TAKEN", f"Stream name {name!r} is taken.")):
        lock_topics(cluster)
        if not shared:  # again: Kafka took its time to answer, and somebody else may have made or taken it
            _require_no_other_owner(workspace, cluster, topic, new_topic=create is not None)
        stream = Stream.objects.create(
            workspace=workspace,
            name=name,
            description=description,
            cluster=cluster,
            topic=topic,
            topic_id=info.topic_id,
            partitions=info.partitions,
            contract=typed.as_json(),
        )
        text = f"Stream {name} registered on topic {topic}"
        record_event(workspace, "stream", text, actor=actor.username, subject=name, action=Action.CREATED)
    return stream


def _require_valid_names(name: str, topic: str, *, new_topic: bool) -> None:
    if not is_name(name):
        raise ServiceError("NAME_INVALID", f"Invalid stream name: use {NAME_RULE}.")
    if not is_topic_name(topic) or is_reserved(topic) or (new_topic and not may_be_made(topic)):
        raise ServiceError("TOPIC_INVALID", f"{topic[:80]!r} is not a valid topic name, or it is reserved.")


def _require_room_for(
    workspace: Workspace, contract: StreamContract, *, instead_of: Stream | None = None
) -> None:
    """Refuse a contract with which the workspace's would have more characters together than its quota; one
    that is not longer than what it replaces is never refused.
    """
    wanted = len(json.dumps(contract.as_json()))
    lengths = dict(Stream.objects.of(workspace).values_list("pk", Length(Cast("contract", TextField()))))
    before = lengths.pop(instead_of.pk, 0) if instead_of is not None else 0
    if wanted > before:
        require_room("contract_characters", sum(lengths.values()), wanted)


def _require_no_other_owner(workspace: Workspace, cluster: Cluster, topic: str, *, new_topic: bool) -> None:
    if topic not in topics_of_others(cluster, workspace):
        return
    if new_topic:
        raise taken(cluster, topic)
    raise NotFoundError("TOPIC_NOT_FOUND", f"Topic {topic[:80]!r} doesn't exist on the cluster.")


def _create_topic(
    cluster: Cluster, workspace: Workspace, topic: str, contract: StreamContract, create: NewTopic
) -> TopicInfo:
    """Create a stream's topic; one that exists is used, if it is no other workspace's."""
    profile = profile_of(cluster)
    found = describe_topics(profile, [topic]).get(topic)
    if found is not None:
        return found
    return make_own_topic(cluster, workspace, topic, create.partitions, _topic_config(contract, create))


def _topic_config(contract: StreamContract, create: NewTopic) -> dict[str, str]:
    """The settings of a new topic. A table's rows must not expire.

    Compaction keeps the newest entry by offset. If event time decides, that may be the wrong one, so
    all entries are retained.
    """
    retention_ms, cleanup = create.retention_ms, create.cleanup
    if contract.kind != "table":
        return config_of(retention_ms, cleanup)
    if contract.version_by == "event_time":
        if cleanup is not None and "compact" in cleanup:
            raise ServiceError(
                "CLEANUP_INCOMPATIBLE",
                "Compaction keeps the last offset, but this table uses event time. "
                "Set cleanup to Delete or order by offset.",
            )
        return config_of(UNLIMITED if retention_ms is None else retention_ms, cleanup)
    if cleanup is not None:
        return config_of(retention_ms, cleanup)
    return config_of(retention_ms, "compact" if retention_ms is None else "compact,delete")


def change_stream(
    stream: Stream,
    actor: User,
    *,
    description: str | None = None,
    contract: Any = None,
    force: bool = False,
    revision: int | None = None,
) -> Stream:
    """Change a stream's description or contract; null: unchanged. Running jobs keep the contract
    with which they were started. Where nothing differs from what is stored, the revision stays.

    Args:
        stream: of the actor's workspace.
        actor: the user.
        description: free text.
        contract: in the API's form.
        force: accept it even if it breaks jobs or resets their state.
        revision: that the change was made on; None: whatever is stored.

    Raises:
        ServiceError: the contract is not valid; QUOTA_REACHED.
        ConflictError: BREAKS_JOBS or RESETS_STATE, with their names; REVISION_OUTDATED, somebody else changed
            it meanwhile.
        Stream.DoesNotExist: it was deleted meanwhile.
    """
    given: dict[str, Any] = {} if description is None else {"description": description}
    if contract is not None:
        typed = read_contract(with_schemas(stream.workspace, contract))
        if not force and stream.find_contract() is not None:
            require_no_breakage(stream, typed)
        _require_room_for(stream.workspace, typed, instead_of=stream)
        given["contract"] = typed.as_json()
    with transaction.atomic():
        rows = Stream.objects.select_related("cluster", "workspace").select_for_update(of=("self",))
        held: Stream = rows.get(pk=stream.pk)
        require_revision(held.revision, revision, "stream")
        if all(getattr(held, name) == value for name, value in given.items()):
            return held
        for name, value in given.items():
            setattr(held, name, value)
        held.revision += 1
        held.save(update_fields=["revision", *given])
        record_event(
            held.workspace,
            "stream",
            f"Stream {held.name} changed",
            actor=actor.username,
            subject=held.name,
            action=Action.CHANGED,
        )
    return held


def delete_stream(stream: Stream, actor: User) -> None:
    """Delete a stream, but not its topic.

    Raises:
        ConflictError: a job uses it.
    """
    with transaction.atomic():
        # Held, so that no job begins to use it meanwhile.
        Stream.objects.select_for_update().get(pk=stream.pk)
        uses = list(StreamUse.objects.filter(stream=stream).values_list("job_name", flat=True))
        if uses:
            raise ConflictError(
                "IN_USE", f"{stream.name} is used by {', '.join(uses)}. Delete or edit those jobs first."
            )
        record_event(
            stream.workspace,
            "stream",
            f"Stream {stream.name} unregistered",
            actor=actor.username,
            subject=stream.name,
            action=Action.DELETED,
        )
        stream.delete()


def get_stream(workspace: Workspace, name: str) -> Stream:
    """A stream of this workspace.

    Raises:
        NotFoundError: there is none of that name.
    """
    stream: Stream | None = (
        Stream.objects.of(workspace).select_related("cluster", "workspace").filter(name=name).first()
    )
    if stream is None:
        raise NotFoundError("NOT_FOUND", f"Unknown stream {name[:80]!r}.")
    return stream


def get_readable_stream(workspace: Workspace, name: str) -> Stream:
    """A stream of this workspace whose records are about to be read: its topic may have got partitions
    outside Weir since.

    Raises:
        NotFoundError: there is none of that name, or its topic does not exist.
        ServiceError: CONTRACT_UNREADABLE; the cluster is not asked then.
        UnreachableError: the cluster does not answer.
    """
    known = get_stream(workspace, name)
    _ = known.stream_contract
    (stream,) = confirm_topics([known])
    return stream


def catalog(workspace: Workspace) -> Catalog:
    """The contracts of a workspace's streams by name, as the check of a document needs them."""
    return Catalog(workspace)


def confirm_topics(streams: list[Stream]) -> list[Stream]:
    """Bring partitions and topic ids up to date with the broker; they change when a
    topic grows or is recreated.

    Raises:
        NotFoundError: a topic does not exist.
        UnreachableError: the cluster does not answer.
    """
    by_cluster: dict[str, list[Stream]] = {}
    for stream in streams:
        by_cluster.setdefault(stream.cluster_id, []).append(stream)
    for group in by_cluster.values():
        infos = describe_topics(profile_of(group[0].cluster), sorted({stream.topic for stream in group}))
        for stream in group:
            found = infos.get(stream.topic)
            if found is None:
                raise NotFoundError(
                    "TOPIC_NOT_FOUND", f"Topic {stream.topic!r} of stream {stream.name!r} no longer exists."
                )
            if (found.topic_id, found.partitions) != (stream.topic_id, stream.partitions):
                stream.topic_id, stream.partitions = found.topic_id, found.partitions
                stream.save(update_fields=["topic_id", "partitions"])
    return streams
