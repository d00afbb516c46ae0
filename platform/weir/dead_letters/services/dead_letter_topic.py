"""The dead-letter topic of a validator, identified by Kafka's topic id, not by its name alone."""

from dataclasses import dataclass

from jobs.connections import ClusterProfile
from jobs.kafka_messages import dead_letter_topic
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.topics import TopicInfo, describe_topics
from weir.dead_letters.models import Validator
from weir.runs.services.dead_letter_topics import made_topic_ids


@dataclass(frozen=True)
class DeadLetterTopic:
    """A validator's dead-letter topic. `ids`: Kafka's UUIDs of the topics created for the validator; a topic
    with another id is foreign.
    """

    profile: ClusterProfile
    name: str
    ids: frozenset[str]

    def describe(self) -> TopicInfo | None:
        """The topic's description; None if it does not exist or is foreign.

        Raises:
            UnreachableError: the cluster does not answer.
        """
        if not self.ids:
            return None
        found = describe_topics(self.profile, [self.name]).get(self.name)
        return found if found is not None and found.topic_id in self.ids else None


def dead_letter_topic_of(validator: Validator) -> DeadLetterTopic:
    """The dead-letter topic of a validator."""
    return DeadLetterTopic(
        profile_of(validator.stream.cluster),
        dead_letter_topic(validator.job_id),
        made_topic_ids(validator.job_id),
    )
