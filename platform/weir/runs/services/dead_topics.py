"""The topic of a guard's dead letters: made for it, known by Kafka's id, deleted with it.

It lies on the cluster of the topic that is guarded, which may be one where others make topics, too. A guard neither writes to nor
reads from a topic that was not made for it: who made that could read the records that the guard refuses, or put there what a
redrive would send.
"""

from typing import Final

import structlog

from jobs.formats.dead_letters import MAX_VALUE_BYTES, foreign_topic_text
from jobs.messages import BoundSource, dead_topic
from weir.clusters.models import HOME, Cluster
from weir.clusters.topics import ForeignTopicError, TopicFacts, create_new_topic, delete_topics, describe_topics, watermarks
from weir.runs.models import Generation, Job

_LOG: Final = structlog.get_logger("weir.runs")
_RETENTION_MS: Final = 14 * 24 * 3_600_000
_CONFIG: Final = {
    "cleanup.policy": "delete",
    "retention.ms": str(_RETENTION_MS),
    "max.message.bytes": str(MAX_VALUE_BYTES + (2 << 20)),  # with its key and headers
}
_MAX_PARTITIONS: Final = 8


def made_topic_ids(job_id: str) -> frozenset[str]:
    """Kafka's UUIDs of the topics that were made for a guard, one after the other.

    Args:
        job_id: of the guard's job.
    """
    rows = Generation.objects.filter(job=job_id).exclude(result_topic_id="")
    return frozenset(rows.values_list("result_topic_id", flat=True))


def ensure_dead_topic(generation: Generation) -> None:
    """Make the topic where it is not there; asked for at every start, because somebody may have deleted it meanwhile.

    Raises:
        ForeignTopicError: a topic of that name is there that was not made for this guard.
        UnreachableError: the cluster does not answer.
    """
    bound = _source_of(generation)
    facts = describe_topics(bound.cluster, [generation.result_topic]).get(generation.result_topic)
    if facts is None:
        _note(generation, "")  # from here on until the id is noted, an empty topic of that name is this call's
        facts = create_new_topic(bound.cluster, generation.result_topic, min(bound.partitions, _MAX_PARTITIONS), _CONFIG)
    elif facts.topic_id not in made_topic_ids(generation.job_id) and not _was_cut_short(generation, bound, facts):
        raise ForeignTopicError("TOPIC_FOREIGN", foreign_topic_text(generation.result_topic))
    if (generation.result_topic_id, generation.topics_ready) != (facts.topic_id, True):
        _note(generation, facts.topic_id)


def delete_dead_topic(generations: list[Generation]) -> None:
    """Delete the topic of a guard that is gone; one of that name that was not made for it stays.

    Args:
        generations: all of the guard's job.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    made = {generation.result_topic_id for generation in generations} - {""}
    if not made:
        return
    bound = _source_of(generations[0])
    if bound.cluster.cluster_id != HOME and not Cluster.objects.filter(pk=bound.cluster.cluster_id).exists():
        _LOG.info("dead letters stay where they are: their cluster was deleted", cluster=bound.cluster.cluster_id)
        return
    topic = dead_topic(generations[0].job_id)
    facts = describe_topics(bound.cluster, [topic]).get(topic)
    if facts is not None and facts.topic_id in made:
        delete_topics(bound.cluster, [topic])


def is_guard(job: Job) -> bool:
    """True for the job of a guard."""
    return job.kind == Job.Kind.GUARD


def _source_of(generation: Generation) -> BoundSource:
    (source,) = generation.sources.values()
    return BoundSource.model_validate(source)


def _note(generation: Generation, topic_id: str) -> None:
    generation.result_topic_id, generation.topics_ready = topic_id, True
    generation.save(update_fields=["result_topic_id", "topics_ready"])


def _was_cut_short(generation: Generation, bound: BoundSource, facts: TopicFacts) -> bool:
    """An earlier call asked for the topic and ended before it noted the id; nobody has written to it since."""
    asked = generation.topics_ready and not generation.result_topic_id
    return asked and not any(high for _, high in watermarks(bound.cluster, {facts.name: facts.partitions}).values())
