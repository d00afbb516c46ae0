"""Checks that a workspace's connection doesn't lead to the home cluster, or to brokers that aren't allowed.

The address that a user entered says little: it may be a forwarder, and clients connect to whatever addresses
the brokers advertise. So the cluster's Kafka id and its brokers are fetched before any other request is sent.
"""

import time
from dataclasses import dataclass
from typing import Any, Final

from jobs.broker_addresses import AddressRefusedError, Endpoint, allowed_addresses, resolve_all

MAX_BROKERS: Final = 500  # librdkafka has a thread for each, in every client
RESOLVE_TIMEOUT_S: Final = 10.0  # for the names of all brokers
# Any name will do: only the cluster's part of the response is used, and the response for one topic is short.
_ASKED_TOPIC: Final = "__consumer_offsets"


class ClusterRefusedError(ValueError):
    """A profile leads to the home cluster, or to brokers with addresses that aren't allowed."""


class SlowNamesError(Exception):
    """The names of a cluster's brokers take too long to look up, so nobody knows where it leads now."""


@dataclass(frozen=True)
class ClusterIdentity:
    """A cluster as it describes itself.

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
    """Fetch the identity of a cluster.

    Args:
        client: any confluent-kafka client of the cluster.
        timeout_s: how long to wait.

    Raises:
        KafkaException: the cluster does not respond.
    """
    metadata = client.list_topics(topic=_ASKED_TOPIC, timeout=timeout_s)
    return ClusterIdentity(
        str(metadata.cluster_id or ""),
        tuple((broker.host, broker.port) for broker in metadata.brokers.values()),
    )


def home_of(identity: ClusterIdentity, listeners: tuple[Endpoint, ...] = ()) -> Home:
    """What identifies the home cluster.

    Args:
        identity: of the home cluster, as fetched from it.
        listeners: further addresses at which it can be reached.
    """
    return Home(identity.kafka_id, resolve_all((*identity.brokers, *listeners)))


def require_foreign(identity: ClusterIdentity, home: Home, *, private_allowed: bool) -> None:
    """Refuse the home cluster, and clusters with a broker whose address isn't allowed.

    A broker whose name can't be resolved here is ignored: no client can reach it. Names are looked up one
    after the other, each for as long as the resolver takes, so their number and time are bounded.

    Args:
        identity: of the cluster, as fetched from it.
        home: the home cluster.
        private_allowed: whether brokers may have loopback and private addresses.

    Raises:
        ClusterRefusedError: the cluster is refused, or has no Kafka id.
        SlowNamesError: not all names were looked up in time.
    """
    if not identity.kafka_id or identity.kafka_id == home.kafka_id:
        raise ClusterRefusedError("This is the home cluster; it's already available.")
    if len(identity.brokers) > MAX_BROKERS:
        raise ClusterRefusedError(f"The cluster advertises more than {MAX_BROKERS} brokers.")
    until = time.monotonic() + RESOLVE_TIMEOUT_S
    for host, port in identity.brokers:
        if time.monotonic() > until:
            raise SlowNamesError("The names of the cluster's brokers take too long to resolve.")
        try:
            allowed_addresses(host, port, home.endpoints, private_allowed=private_allowed)
        except AddressRefusedError as error:
            raise ClusterRefusedError(
                f"The cluster advertises a broker that can't be used. {error}"
            ) from error
        except OSError:
            continue
