"""Whether the topics that a run reads are still those that it began with."""

from jobs.connections import ClusterProfile
from jobs.engine.clusters import Clusters
from jobs.engine.failures import dead_topic_gone, stages_topic_lost, topic_foreign, topic_gone, topic_recreated
from jobs.messages import DesiredRun, Failure, InnerTopic


def lost_topic(run: DesiredRun, clusters: Clusters, home: ClusterProfile) -> Failure | None:
    """The first topic that is gone or became another; None: all are there.

    Args:
        run: with its inputs, and the topic between its stages.
        clusters: clients.
        home: the cluster of the latter.

    Raises:
        KafkaException: a cluster does not answer.
    """
    profiles: dict[str, ClusterProfile] = {}
    topics: dict[str, dict[str, str]] = {}
    for source in run.sources.values():
        profiles[source.cluster.cluster_id] = source.cluster
        topics.setdefault(source.cluster.cluster_id, {})[source.topic] = source.topic_id
    for cluster, wanted in topics.items():
        found = clusters.topic_ids(profiles[cluster], list(wanted))
        for topic, topic_id in wanted.items():
            failure = judge_topic(topic, topic_id, found[topic])
            if failure is not None:
                return failure
    if run.task == "guard":
        (source,) = run.sources.values()
        return lost_dead_topic(run, source.cluster, clusters)
    if run.between is not None:
        return judge_between(run.between, clusters.topic_ids(home, [run.between.topic])[run.between.topic])
    return None


def lost_dead_topic(run: DesiredRun, cluster: ClusterProfile, clusters: Clusters) -> Failure | None:
    """Whether the topic of a guard's dead letters is gone, or is one that was not made for the guard; None: it is the guard's.

    Args:
        run: of the guard.
        cluster: where the topic that is guarded lies.
        clusters: clients.

    Raises:
        KafkaException: the cluster does not answer.
    """
    found = clusters.topic_ids(cluster, [run.result_topic])[run.result_topic]
    if found is None:
        return dead_topic_gone(run.result_topic)
    return None if found == run.result_topic_id else topic_foreign(run.result_topic)


def judge_between(wanted: InnerTopic, found: str | None) -> Failure | None:
    """The same of the topic between the stages of a run."""
    return None if found == wanted.topic_id else stages_topic_lost(wanted.topic)


def judge_topic(topic: str, wanted: str, found: str | None) -> Failure | None:
    """Compare Kafka's id of a topic with the one that the run began with; an empty `wanted` accepts any."""
    if found is None:
        return topic_gone(topic)
    return topic_recreated(topic) if wanted and found != wanted else None
