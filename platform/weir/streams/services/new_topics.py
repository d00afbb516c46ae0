"""Makes topics that belong to somebody: a workspace, or, those of the examples, the installation.

All workspaces share the home cluster. So a topic has its owner before it exists: one that had it a moment
later could be registered by another workspace meanwhile. Kafka decides who makes it; the others have lost.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from jobs.formats.contract import StreamContract
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.topics import (
    ForeignTopicError,
    TopicInfo,
    create_new_topic,
    describe_topics,
)
from weir.streams.models import OwnedTopic, Stream
from weir.streams.services.ownership import has_streams_of_others, require_partitions, set_owner
from weir.workspaces.errors import ConflictError, UnreachableError
from weir.workspaces.models import Workspace


def make_topic(
    cluster: Cluster, workspace: Workspace | None, name: str, partitions: int, config: dict[str, str]
) -> TopicInfo:
    """Make a topic that does not exist yet.

    Args:
        cluster: of the topic.
        workspace: its owner; None: the installation, and every workspace may have streams on it.
        name: valid and not reserved.
        partitions: their number.
        config: settings of Kafka's that differ from the broker's.

    Raises:
        ForeignTopicError: it exists, also when somebody else has made it at the same time.
        UnreachableError: the cluster does not answer.
    """
    with new_owner(cluster, workspace, name, partitions):
        info = create_new_topic(profile_of(cluster), name, partitions, config)
    # Again: somebody who tried at the same time may have put their name there, and taken it away with ours.
    set_owner(cluster, workspace, name, info.partitions)
    return info


def make_own_topic(
    cluster: Cluster, workspace: Workspace, name: str, partitions: int, config: dict[str, str]
) -> TopicInfo:
    """Make a topic of a workspace, within what it may have.

    Args:
        cluster: of the topic.
        workspace: its owner.
        name: valid and not reserved.
        partitions: their number.
        config: settings of Kafka's that differ from the broker's.

    Raises:
        ServiceError: QUOTA_REACHED.
        ConflictError: NAME_TAKEN: it exists, also when somebody else has made it at the same time.
        UnreachableError: the cluster does not answer.
    """
    require_partitions(cluster, workspace, partitions)
    try:
        return make_topic(cluster, workspace, name, partitions, config)
    except ForeignTopicError as error:
        raise taken(cluster, name) from error


@dataclass(frozen=True, slots=True)
class SharedTopic:
    """A topic of an example.

    Attributes:
        name: of the topic.
        partitions: their number.
        config: settings of Kafka's that differ from the broker's.
        contract: the example's.
    """

    name: str
    partitions: int
    config: dict[str, str]
    contract: StreamContract


def make_shared_topics(cluster: Cluster, topics: Sequence[SharedTopic]) -> None:
    """Make the topics of an example, or use those that an example has made before.

    Raises:
        ConflictError: NAME_TAKEN: a topic of such a name exists, and no example made it; then none is made.
        UnreachableError: the cluster does not answer.
    """
    found = describe_topics(profile_of(cluster), [topic.name for topic in topics])
    for topic in topics:
        if topic.name in found:
            _require_shared(cluster, topic)
    for topic in topics:
        if topic.name in found:
            continue
        try:
            make_topic(cluster, None, topic.name, topic.partitions, topic.config)
        except ForeignTopicError:  # by another person, who may have used the example
            _require_shared(cluster, topic)


def _require_shared(cluster: Cluster, topic: SharedTopic) -> None:
    owned = OwnedTopic.objects.filter(cluster=cluster, topic=topic.name).first()
    if owned is None and _is_registered_as(cluster, topic.name, topic.contract):
        return  # an example made it before its topics were recorded
    if owned is None or owned.workspace_id is not None:
        raise ConflictError(
            "NAME_TAKEN",
            f"Topic {topic.name!r} exists on {cluster.name} and isn't the example's. Use another example, or "
            "have that topic deleted.",
        )


def require_free_name(cluster: Cluster, workspace: Workspace, name: str) -> None:
    """Refuse the name of a topic on which another workspace has a stream, also when the topic was deleted by
    other means: what is written to a new one would be read there.

    Raises:
        ConflictError: NAME_TAKEN.
    """
    if has_streams_of_others(cluster, workspace, name):
        raise taken(cluster, name)


def taken(cluster: Cluster, name: str) -> ConflictError:
    """The answer to who wants to make a topic of this name."""
    return ConflictError("NAME_TAKEN", f"Topic {name!r} already exists on {cluster.name}.")


def _is_registered_as(cluster: Cluster, name: str, contract: StreamContract) -> bool:
    """Whether there are streams on a topic, all of them with this contract."""
    found = [stream.find_contract() for stream in Stream.objects.filter(cluster=cluster, topic=name)]
    return bool(found) and all(each == contract for each in found)


@contextmanager
def new_owner(cluster: Cluster, workspace: Workspace | None, name: str, partitions: int) -> Iterator[None]:
    """The topic has its owner from now on; what was said before stands again if it is not made."""
    rows = OwnedTopic.objects.filter(cluster=cluster, topic=name)
    before = rows.first() if cluster.id == HOME else None
    set_owner(cluster, workspace, name, partitions)
    try:
        yield
    except UnreachableError:
        raise  # the broker may make it all the same
    except BaseException:
        ours = rows.filter(workspace=workspace)
        if before is None:
            ours.delete()
        else:
            ours.update(workspace=before.workspace_id, partitions=before.partitions)
        raise
