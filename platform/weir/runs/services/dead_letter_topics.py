"""Creates, identifies by Kafka's id, and deletes the dead-letter topic of a validator.

The topic is on the cluster of the validated topic, where others may create topics, too. A validator neither
writes to nor reads from a topic that was not created for it: its owner could read the rejected records, or
insert records for a redrive to send.
"""

from typing import Final

import structlog

from jobs.formats.dead_letters import MAX_VALUE_BYTES, foreign_topic_text
from jobs.kafka_messages import BoundSource, dead_letter_topic
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import (
    ForeignTopicError,
    TopicInfo,
    create_new_topic,
    delete_topics,
    describe_topics,
)
from weir.retention import DEAD_LETTER_RETENTION_MS
from weir.runs.models import Generation, Job
from weir.runs.services.given_profiles import given_profiles, given_source
from weir.workspaces.errors import UnreachableError

_LOG: Final = structlog.get_logger("weir.runs")
_CONFIG: Final = {
    "cleanup.policy": "delete",
    "retention.ms": str(DEAD_LETTER_RETENTION_MS),
    "max.message.bytes": str(MAX_VALUE_BYTES + (2 << 20)),  # with its key and headers
}
_MAX_PARTITIONS: Final = 8
_TOPIC_FIELDS: Final = ["result_topic_id", "topics_ready", "topic_requested"]


def made_topic_ids(job_id: str) -> frozenset[str]:
    """Kafka's UUIDs of all topics that were created for a validator.

    Args:
        job_id: of the validator's job.
    """
    rows = Generation.objects.filter(job=job_id).exclude(result_topic_id="")
    return frozenset(rows.values_list("result_topic_id", flat=True))


def ensure_dead_letter_topic(generation: Generation) -> None:
    """Create the topic if it does not exist. Called at every start, because it may have been deleted.

    Raises:
        ForeignTopicError: a topic with that name exists that was not created for this validator.
        UnreachableError: the cluster does not answer.
    """
    bound = _source_of(generation)
    facts = describe_topics(bound.cluster, [generation.result_topic]).get(generation.result_topic)
    # The topic may be one that another start makes now, which has said so before it asked the broker for it.
    generation.refresh_from_db(fields=_TOPIC_FIELDS)
    if facts is None:
        facts = _create(generation, bound)
    elif not _is_own(generation, bound, facts):
        raise ForeignTopicError("TOPIC_FOREIGN", foreign_topic_text(generation.result_topic))
    if generation.result_topic_id != facts.topic_id:
        _note_id(generation, facts.topic_id)


def delete_dead_letter_topic(generations: list[Generation]) -> None:
    """Delete the topic of a deleted validator, unless it was not created for it.

    Args:
        generations: all of the validator's job.

    Raises:
        UnreachableError: the cluster does not answer; one that is known not to is not asked.
    """
    made = {generation.result_topic_id for generation in generations} - {""}
    if not made:
        return
    (profile,) = given_profiles(generations[0])
    cluster = Cluster.objects.filter(pk=profile.cluster_id).first()
    if profile.cluster_id != HOME and cluster is None:
        _LOG.info("dead letters stay where they are: their cluster was deleted", cluster=profile.cluster_id)
        return
    if cluster is not None and cluster.reachable is False:
        raise UnreachableError(
            "BROKER_UNREACHABLE", f"Kafka cluster {cluster.name} is unreachable: {cluster.error}"
        )
    topic = dead_letter_topic(generations[0].job_id)
    facts = describe_topics(profile, [topic]).get(topic)
    if facts is not None and facts.topic_id in made:
        delete_topics(profile, [topic])


def is_validator(job: Job) -> bool:
    """Whether a job is a validator."""
    return job.kind == Job.Kind.VALIDATOR


def _source_of(generation: Generation) -> BoundSource:
    (source,) = generation.sources.values()
    return given_source(source)


def _note_id(generation: Generation, topic_id: str) -> None:
    generation.result_topic_id, generation.topics_ready, generation.topic_requested = topic_id, True, False
    generation.save(update_fields=_TOPIC_FIELDS)


def _create(generation: Generation, bound: BoundSource) -> TopicInfo:
    """Create the topic. A broker may be slow to show one that an earlier call made, or another makes now."""
    known = made_topic_ids(generation.job_id)
    # From here on until the id is noted, an empty topic of that name is this call's. An id that another call
    # notes now is kept.
    Generation.objects.filter(pk=generation.pk, result_topic_id=generation.result_topic_id).update(
        result_topic_id="", topics_ready=False, topic_requested=True
    )
    partitions = min(bound.partitions, _MAX_PARTITIONS)
    try:
        return create_new_topic(bound.cluster, generation.result_topic, partitions, _CONFIG)
    except ForeignTopicError:
        facts = describe_topics(bound.cluster, [generation.result_topic]).get(generation.result_topic)
        generation.refresh_from_db(fields=_TOPIC_FIELDS)
        if facts is None or not (facts.topic_id in known or _is_own(generation, bound, facts)):
            raise
        return facts


def _is_own(generation: Generation, bound: BoundSource, facts: TopicInfo) -> bool:
    made = facts.topic_id in made_topic_ids(generation.job_id)
    return made or _was_cut_short(generation, bound, facts)


def _was_cut_short(generation: Generation, bound: BoundSource, facts: TopicInfo) -> bool:
    """An earlier call asked for the topic and ended before it noted the id; nobody has
    written to it since.
    """
    return generation.topic_requested and not any(
        high for _, high in watermarks(bound.cluster, {facts.name: facts.partitions}).values()
    )
