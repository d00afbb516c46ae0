"""Writing to Weir's own topics: short texts under a key, confirmed by the broker before anybody goes on."""

from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message

from weir.clusters.clients import home_profile, shared_producer
from weir.clusters.topics import asking
from weir.workspaces.errors import UnreachableError

_FLUSH_S: Final = 5.0


def tell(topic: str, values: dict[str, bytes | None]) -> None:
    """Write values under their keys to a topic of the home cluster, and wait until the broker has all of them.

    Args:
        topic: one of Weir's own.
        values: by key; None is a tombstone.

    Raises:
        UnreachableError: the broker did not take all of them; the same may be told again.
    """
    profile = home_profile()
    failed: list[KafkaError] = []

    def _delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            failed.append(error)

    producer: Any = shared_producer(profile)
    with asking(profile):
        for key, value in values.items():
            producer.produce(topic, key=key.encode(), value=value, on_delivery=_delivered)
        if producer.flush(_FLUSH_S):
            raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} timed out.")
        if failed:
            raise KafkaException(failed[0])
