"""Checks that the topics of a run are still those that it started with."""

from jobs.connections import ClusterProfile
from jobs.engine.failures import (
    dead_letter_topic_gone,
    exchange_topic_lost,
    topic_foreign,
    topic_gone,
    topic_recreated,
)
from jobs.engine.kafka_admins import DescribedTopic, KafkaAdmins
from jobs.engine.positions import RunPositions
from jobs.kafka_messages import DesiredRun, ExchangeTopic, Failure


def find_lost_topic(
    run: DesiredRun, admins: KafkaAdmins, home: ClusterProfile, positions: RunPositions | None = None
) -> Failure | None:
    """The failure for the first topic that was deleted or recreated; None: there is none.

    Args:
        run: its inputs are checked, and its exchange topic or, of a validator, its dead-letter topic.
        admins: Kafka clients.
        home: the cluster of the exchange topic.
        positions: of the run; they learn how many partitions its inputs have now. None: nobody does.

    Raises:
        KafkaException: a cluster does not respond, or doesn't describe a topic to the user.
        ClusterRefusedError: a cluster may not be used.
    """
    profiles: dict[str, ClusterProfile] = {}
    topics: dict[str, dict[str, str]] = {}
    for source in run.sources.values():
        profiles[source.cluster.cluster_id] = source.cluster
        topics.setdefault(source.cluster.cluster_id, {})[source.topic] = source.topic_id
    for cluster, expected in topics.items():
        found = admins.topics(profiles[cluster], list(expected))
        if positions is not None:
            positions.update_topics(profiles[cluster], found)
        for topic, topic_id in expected.items():
            failure = check_topic(topic, topic_id, found[topic])
            if failure is not None:
                return failure
    if run.task == "validator":
        (source,) = run.sources.values()
        return check_dead_letter_topic(run, source.cluster, admins)
    if run.exchange is not None:
        return check_exchange_topic(
            run.exchange, admins.topics(home, [run.exchange.topic])[run.exchange.topic]
        )
    return None


def outputs_exist(run: DesiredRun, admins: KafkaAdmins, home: ClusterProfile) -> bool:
    """Whether all topics that the run writes exist.

    Args:
        run: its outputs are on the home cluster; a validator's are checked by `find_lost_topic`.
        admins: Kafka clients.
        home: the home cluster.

    Raises:
        KafkaException: the cluster does not respond.
        ClusterRefusedError: the cluster may not be used.
    """
    if run.task == "validator":
        return True
    return None not in admins.topic_ids(home, sorted({run.result_topic, *run.topics.values()})).values()


def check_dead_letter_topic(run: DesiredRun, cluster: ClusterProfile, admins: KafkaAdmins) -> Failure | None:
    """The failure if a validator's dead-letter topic was deleted, or was not created for the validator; else
    None.

    Args:
        run: of the validator.
        cluster: of the validated topic.
        admins: Kafka clients.

    Raises:
        KafkaException: the cluster does not respond.
        ClusterRefusedError: the cluster may not be used.
    """
    found = admins.topic_ids(cluster, [run.result_topic])[run.result_topic]
    if found is None:
        return dead_letter_topic_gone(run.result_topic)
    return None if found == run.result_topic_id else topic_foreign(run.result_topic)


def check_exchange_topic(expected: ExchangeTopic, found: DescribedTopic | None) -> Failure | None:
    """The failure if the exchange topic (None: no such topic) is not the expected one; else None."""
    is_same = found is not None and found.topic_id == expected.topic_id
    return None if is_same else exchange_topic_lost(expected.topic)


def check_topic(topic: str, expected: str, found: DescribedTopic | None) -> Failure | None:
    """The failure if a topic's id is not the one that the run started with; else None.

    Args:
        topic: its name.
        expected: id when the run started; empty accepts any.
        found: the present topic; None: there is none.
    """
    if found is None:
        return topic_gone(topic)
    return topic_recreated(topic) if expected and found.topic_id != expected else None
