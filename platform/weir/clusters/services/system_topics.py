"""Publishes records to Weir's own topics and waits for the broker's confirmation."""

from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message

from weir.clusters.services.clients import home_profile, shared_producer
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
    failed: list[KafkaError] = []

    def _delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            failed.append(error)

    producer: Any = shared_producer(profile)
    with translate_errors(profile):
        for key, value in values.items():
            producer.produce(topic, key=key.encode(), value=value, on_delivery=_delivered)
        if producer.flush(_FLUSH_S):
            raise UnreachableError(
                "BROKER_UNREACHABLE", f"The Kafka cluster at {profile.bootstrap} timed out."
            )
        if failed:
            raise KafkaException(failed[0])
