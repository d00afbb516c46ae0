"""Whether a connection leads to a cluster of a workspace's own, and not home.

The address that somebody typed says little: a forwarder may stand there, and a broker names the addresses
that clients go on to. So the id that Kafka gave a cluster and its brokers are fetched before any other
request is sent to it.
"""

from dataclasses import dataclass
from typing import Any, Final

from jobs.broker_addresses import AddressRefusedError, Endpoint, allowed_addresses, resolve_all

# Any name does: only the cluster's part of the response is used, and for one topic it is short.
_ASKED_TOPIC: Final = "__consumer_offsets"


class ClusterRefusedError(ValueError):
    """A profile leads to the home cluster, or to brokers that no cluster may have."""


@dataclass(frozen=True)
class ClusterIdentity:
    """What a cluster says of itself.

    Attributes:
        kafka_id: the id that Kafka gave the cluster when its storage was formatted.
        brokers: host and port of every broker, as advertised.
    """

    kafka_id: str
    brokers: tuple[Endpoint, ...]


@dataclass(frozen=True)
class Home:
    """What identifies the home cluster: its id, and the addresses of its brokers and listeners."""

    kafka_id: str
    endpoints: frozenset[Endpoint]


def identity_of(client: Any, timeout_s: float) -> ClusterIdentity:
    """Ask a cluster who it is.

    Args:
        client: a confluent-kafka client of the cluster, of any kind.
        timeout_s: how long to wait.

    Raises:
        KafkaException: it does not respond.
    """
    metadata = client.list_topics(topic=_ASKED_TOPIC, timeout=timeout_s)
    return ClusterIdentity(
        str(metadata.cluster_id or ""),
        tuple((broker.host, broker.port) for broker in metadata.brokers.values()),
    )


def home_of(identity: ClusterIdentity, listeners: tuple[Endpoint, ...] = ()) -> Home:
    """What identifies the home cluster.

    Args:
        identity: what it says of itself.
        listeners: further addresses at which it can be reached.
    """
    return Home(identity.kafka_id, resolve_all((*identity.brokers, *listeners)))


def require_foreign(identity: ClusterIdentity, home: Home, *, private_allowed: bool) -> None:
    """Refuse a cluster that is the home cluster, or that names a broker which no cluster may have.

    A name that is not known here passes: no client reaches a broker of that name.

    Args:
        identity: what the cluster says of itself.
        home: the home cluster.
        private_allowed: whether brokers may have loopback and private addresses.

    Raises:
        ClusterRefusedError: it is refused.
    """
    if not identity.kafka_id or identity.kafka_id == home.kafka_id:
        raise ClusterRefusedError("This is the home cluster; it's already available.")
    for host, port in identity.brokers:
        try:
            allowed_addresses(host, port, home.endpoints, private_allowed=private_allowed)
        except AddressRefusedError as error:
            raise ClusterRefusedError(
                f"The cluster advertises a broker that can't be used. {error}"
            ) from error
        except OSError:
            continue
