"""Publishes records to Weir's own topics and waits for the broker's confirmation."""

from typing import Final

from confluent_kafka import KafkaException

from weir.clusters.services.clients import home_profile, shared_producer
from weir.clusters.services.confirmations import Confirmations
from weir.clusters.services.reachability import translate_errors
from weir.workspaces.errors import UnreachableError

_FLUSH_S: Final = 5.0


def publish(topic: str, values: dict[str, bytes | None]) -> None:
    """Publish values under their keys to a topic of the home cluster, and wait until the broker
    has confirmed all of them.

    Args:
        topic: one of Weir's own.
        values: by key; None is a tombstone.

    Raises:
        UnreachableError: the broker did not confirm all of them; the same records may be published again.
    """
    profile = home_profile()
    producer = shared_producer(profile)
    waiting = Confirmations(len(values))
    with translate_errors(profile):
        for number, (key, value) in enumerate(values.items()):
            producer.produce(topic, key=key.encode(), value=value, on_delivery=waiting.callback(number))
        if not waiting.wait(producer, _FLUSH_S):
            raise UnreachableError(
                "BROKER_UNREACHABLE", f"The Kafka cluster at {profile.bootstrap} timed out."
            )
        if waiting.cause is not None:
            raise KafkaException(waiting.cause)
