"""The topic of a guard's dead letters: the one that was made for it, and no other of that name."""

from dataclasses import dataclass

from jobs.connections import ClusterProfile
from jobs.messages import dead_topic
from weir.clusters.services import profile_of
from weir.clusters.topics import TopicFacts, describe_topics
from weir.guards.models import Guard
from weir.runs.services.dead_topics import made_topic_ids


@dataclass(frozen=True)
class DeadTopic:
    """Where a guard's dead letters lie; `ids` are Kafka's UUIDs of the topics that were made for it, and any other is foreign."""

    profile: ClusterProfile
    name: str
    ids: frozenset[str]

    def facts(self) -> TopicFacts | None:
        """What the cluster says of it; None where it is not there, or is not the guard's.

        Raises:
            UnreachableError: the cluster does not answer.
        """
        if not self.ids:
            return None
        found = describe_topics(self.profile, [self.name]).get(self.name)
        return found if found is not None and found.topic_id in self.ids else None


def dead_topic_of(guard: Guard) -> DeadTopic:
    """Where the dead letters of this guard lie."""
    return DeadTopic(profile_of(guard.stream.cluster), dead_topic(guard.job_id), made_topic_ids(guard.job_id))
