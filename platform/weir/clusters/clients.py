"""The one place of the platform that makes Kafka clients.

Every client has short time-outs: a cluster that does not answer costs a page a few seconds once, not a hang.
Admin clients and producers are thread-safe and kept per process; consumers belong to who asked and must be closed.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from django.conf import settings

from jobs.connections import ClusterProfile, Secrets, librdkafka_options
from jobs.sealing import SealError
from weir.clusters.identity import RECHECK_S, ClusterDoor
from weir.clusters.models import HOME
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger("weir.kafka")
_BASE: Final[dict[str, Any]] = {
    "client.id": "weir",
    "log.connection.close": False,
    "allow.auto.create.topics": False,
    "socket.timeout.ms": 10_000,
    "socket.connection.setup.timeout.ms": 5_000,
    "reconnect.backoff.ms": 50,
    "reconnect.backoff.max.ms": 1_000,
}
_PRODUCER: Final[dict[str, Any]] = {
    "acks": "all",
    "enable.idempotence": True,
    # With more, the first batch for a topic that was just made can be lost and reported as written; see `weir.clusters.topics`
    "max.in.flight.requests.per.connection": 1,
    "linger.ms": 0,
    "delivery.timeout.ms": 30_000,
}
_CONSUMER: Final[dict[str, Any]] = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "fetch.wait.max.ms": 100,
    "fetch.error.backoff.ms": 100,
    "fetch.queue.backoff.ms": 50,
}
# What callers may set beside; anything else is a mistake (`docs/security.md#kafka`).
ALLOWED: Final = frozenset(
    {
        "auto.offset.reset",
        "client.id",
        "delivery.timeout.ms",
        "enable.partition.eof",
        "fetch.max.bytes",
        "fetch.min.bytes",
        "fetch.wait.max.ms",
        "linger.ms",
        "max.partition.fetch.bytes",
        "queued.max.messages.kbytes",
        "statistics.interval.ms",
    }
)
Client = TypeVar("Client")
_NO_GROUP: Final = "weir-no-group"  # consumers that assign partitions need a name, but never join or commit under it


def _home_client() -> AdminClient:
    return admin(home_profile())


door: Final = ClusterDoor(_home_client)


def home_profile() -> ClusterProfile:
    """The cluster that carries Weir's own topics and results."""
    return ClusterProfile.model_validate(
        {
            "cluster_id": HOME,
            "bootstrap": settings.KAFKA_BOOTSTRAP_SERVERS,
            "security": settings.KAFKA_SECURITY,
            "mechanism": settings.KAFKA_MECHANISM or None,
            "username": settings.KAFKA_USERNAME,
            "password_file": settings.KAFKA_PASSWORD_FILE,
            "ca": Path(settings.KAFKA_CA_FILE).read_text() if settings.KAFKA_CA_FILE else "",
        }
    )


class _Kept(Generic[Client]):
    """One client per cluster and process. A changed connection gets another, and the old one, whose password may be refused, goes.

    A client of a workspace's cluster is asked where it leads when it is made, and again every few seconds of use.
    """

    def __init__(self, make: Callable[[ClusterProfile], Client]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._clients: dict[str, tuple[ClusterProfile, Client]] = {}
        self._asked: dict[str, float] = {}  # cluster id → monotonic seconds until which the client's last answer stands

    def __call__(self, profile: ClusterProfile) -> Client:
        door.require_open(profile)
        with self._lock:
            known, client = self._clients.get(profile.cluster_id, (None, None))
            if known != profile or client is None:
                client = self._make(profile)
                self._clients[profile.cluster_id] = profile, client
                self._asked.pop(profile.cluster_id, None)
        if profile.cluster_id != HOME and self._asked.get(profile.cluster_id, 0.0) < time.monotonic():
            door.require_leads_there(profile, client)
            self._asked[profile.cluster_id] = time.monotonic() + RECHECK_S
        return client


def admin(profile: ClusterProfile) -> AdminClient:
    """The process's admin client of this cluster."""
    return _admins(profile)


_admins: Final = _Kept(lambda profile: AdminClient({**_BASE, **_connection(profile)}, logger=_LOG))


def producer(profile: ClusterProfile, **allowed: Any) -> Producer:
    """A new producer: idempotent, all replicas, no linger.

    Args:
        profile: which cluster.
        allowed: librdkafka options from `ALLOWED`, with ``_`` for ``.``.

    Raises:
        ServiceError: the profile leads home, or to an address that is not allowed.
        UnreachableError: a cluster other than the home cluster does not answer.
    """
    more = _options(allowed)
    door.require_open(profile)
    made = Producer({**_BASE, **_PRODUCER, **_connection(profile), **more}, logger=_LOG)
    door.require_leads_there(profile, made)
    return made


def shared_producer(profile: ClusterProfile) -> Producer:
    """The process's producer of this cluster, kept warm."""
    return _producers(profile)


_producers: Final = _Kept(producer)


def consumer(profile: ClusterProfile, group: str | None = None, **allowed: Any) -> Consumer:
    """A new consumer that neither commits nor stores offsets by itself; close it.

    Args:
        profile: which cluster.
        group: a group id; None for one that only assigns partitions.
        allowed: librdkafka options from `ALLOWED`, with ``_`` for ``.``.

    Raises:
        ServiceError: the profile leads home, or to an address that is not allowed.
        UnreachableError: a cluster other than the home cluster does not answer.
    """
    more = _options(allowed)
    door.require_open(profile)
    options = {**_BASE, **_CONSUMER, **_connection(profile), "group.id": group or _NO_GROUP, **more}
    made = Consumer(options, logger=_LOG)
    try:
        door.require_leads_there(profile, made)
    except ServiceError:
        made.close()
        raise
    return made


def _connection(profile: ClusterProfile) -> dict[str, str]:
    try:
        return librdkafka_options(profile, Secrets(settings.SEAL_KEY_FILE))
    except SealError as error:
        raise ServiceError("SECRET_LOST", f"Couldn't decrypt the password: {error}. Enter it again.") from error


def _options(allowed: dict[str, Any]) -> dict[str, Any]:
    options = {name.replace("_", "."): value for name, value in allowed.items()}
    refused = options.keys() - ALLOWED
    if refused:
        raise ValueError(f"these client options are not allowed: {', '.join(sorted(refused))}")
    return options
