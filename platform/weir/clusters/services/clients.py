"""Creates all Kafka clients of the platform.

Every client has short timeouts: a cluster that does not answer delays a page by a few seconds once.
Admin clients and producers are thread-safe and cached per process while they are used; the caller of
`consumer` must close it.
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

from jobs.connections import (
    BOUNDED_ANSWERS,
    FRESH_METADATA,
    ClusterProfile,
    PasswordDecryptor,
    librdkafka_options,
)
from jobs.encryption import DecryptionError
from jobs.kafka_replaced import keep_for_answers
from weir.clusters.models import HOME
from weir.clusters.services.identity import RECHECK_INTERVAL_S, ClusterDoor
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
    # with more, the first batch for a new topic can be lost and still be confirmed; see
    # `weir.clusters.services.topics`
    "max.in.flight.requests.per.connection": 1,
    "linger.ms": 0,
    "delivery.timeout.ms": 30_000,
    # as Java clients, and so our engines, do; see `docs/decisions/2026-11-28-partition-of-a-key.md`
    "partitioner": "murmur2_random",
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
# Options that callers may set; anything else is a mistake (`docs/security.md#kafka`).
ALLOWED: Final = frozenset(
    {
        "auto.offset.reset",
        "client.id",
        "delivery.timeout.ms",
        "enable.partition.eof",
        "fetch.max.bytes",
        "fetch.min.bytes",
        "fetch.wait.max.ms",
        "isolation.level",
        "linger.ms",
        "max.partition.fetch.bytes",
        "queued.max.messages.kbytes",
        "statistics.interval.ms",
    }
)
IDLE_S: Final = 600.0
Client = TypeVar("Client")
_NO_GROUP: Final = (
    "weir-no-group"  # librdkafka requires a group id, although these consumers never join or commit
)


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


class _ClientCache(Generic[Client]):
    """One client per cluster and process, replaced if the connection has changed, and dropped when nobody has
    used it for `IDLE_S`: each has threads and connections, also to a cluster that was deleted.

    For a workspace's cluster, the client's cluster is checked when it is created, and again
    every few seconds of use. That waits for the cluster, so it is not done under the lock, which clients
    of all clusters share.

    Args:
        create: makes a client without contacting its cluster.
    """

    def __init__(self, create: Callable[[ClusterProfile], Client]) -> None:
        self._create = create
        self._lock = threading.Lock()
        self._clients: dict[str, tuple[ClusterProfile, Client]] = {}
        self._checked_until: dict[str, float] = {}  # cluster id → monotonic seconds
        self._used_at: dict[str, float] = {}  # likewise; without the home cluster, which is always used

    def __call__(self, profile: ClusterProfile) -> Client:
        door.require_open(profile)
        with self._lock:
            self._drop_idle()
            known, client = self._clients.get(profile.cluster_id, (None, None))
            if known != profile or client is None:
                if client is not None:
                    keep_for_answers(client)
                client = self._create(profile)
                self._clients[profile.cluster_id] = profile, client
                self._checked_until.pop(profile.cluster_id, None)
            if profile.cluster_id != HOME:
                self._used_at[profile.cluster_id] = time.monotonic()
        if profile.cluster_id != HOME and self._checked_until.get(profile.cluster_id, 0.0) < time.monotonic():
            door.require_leads_there(profile, client)
            self._checked_until[profile.cluster_id] = time.monotonic() + RECHECK_INTERVAL_S
        return client

    def _drop_idle(self) -> None:
        oldest = time.monotonic() - IDLE_S
        for cluster_id in [each for each, used_at in self._used_at.items() if used_at < oldest]:
            del self._used_at[cluster_id]
            self._checked_until.pop(cluster_id, None)
            keep_for_answers(self._clients.pop(cluster_id)[1])


def admin(profile: ClusterProfile) -> AdminClient:
    """The process's cached admin client of this cluster."""
    return _admins(profile)


_admins: Final = _ClientCache(
    lambda profile: AdminClient(
        {**_BASE, **FRESH_METADATA, **_answers(profile), **_connection(profile)}, logger=_LOG
    )
)


def producer(profile: ClusterProfile, **allowed: Any) -> Producer:
    """Create an idempotent producer that waits for all replicas.

    Args:
        profile: of the cluster.
        allowed: librdkafka options from `ALLOWED`, with ``_`` for ``.``.

    Raises:
        ServiceError: the profile leads to the home cluster or to a forbidden address.
        UnreachableError: a cluster other than the home cluster does not answer.
    """
    more = _options(allowed)
    door.require_open(profile)
    client = _new_producer(profile, more)
    door.require_leads_there(profile, client)
    return client


def _new_producer(profile: ClusterProfile, more: dict[str, Any]) -> Producer:
    return Producer({**_BASE, **_PRODUCER, **_answers(profile), **_connection(profile), **more}, logger=_LOG)


def shared_producer(profile: ClusterProfile) -> Producer:
    """The process's cached producer of this cluster."""
    return _producers(profile)


_producers: Final = _ClientCache(lambda profile: _new_producer(profile, {}))


def consumer(profile: ClusterProfile, group: str | None = None, **allowed: Any) -> Consumer:
    """Create a consumer that never commits or stores offsets by itself. The caller must close it.

    Args:
        profile: of the cluster.
        group: a group id; None for one that only assigns partitions.
        allowed: librdkafka options from `ALLOWED`, with ``_`` for ``.``.

    Raises:
        ServiceError: the profile leads to the home cluster or to a forbidden address.
        UnreachableError: a cluster other than the home cluster does not answer.
    """
    more = _options(allowed)
    door.require_open(profile)
    options = {**_BASE, **_CONSUMER, **_connection(profile), "group.id": group or _NO_GROUP, **more}
    client = Consumer(options, logger=_LOG)
    try:
        door.require_leads_there(profile, client)
    except ServiceError:
        client.close()
        raise
    return client


def _answers(profile: ClusterProfile) -> dict[str, Any]:
    return {} if profile.cluster_id == HOME else BOUNDED_ANSWERS


def _connection(profile: ClusterProfile) -> dict[str, str]:
    try:
        return librdkafka_options(profile, PasswordDecryptor(settings.ENCRYPTION_KEY_FILE))
    except DecryptionError as error:
        raise ServiceError(
            "SECRET_LOST", f"Couldn't decrypt the password: {error}. Enter it again."
        ) from error


def _options(allowed: dict[str, Any]) -> dict[str, Any]:
    options = {name.replace("_", "."): value for name, value in allowed.items()}
    refused = options.keys() - ALLOWED
    if refused:
        raise ValueError(f"these client options are not allowed: {', '.join(sorted(refused))}")
    return options
