"""Checks which cluster a client is connected to, before its first use and repeatedly while it is used.

Kafka clients connect to whatever brokers a cluster advertises. So a cluster is first probed over one
connection to a bootstrap server (`jobs.cluster_probe`), and clients are only created if the answer is
allowed. A proxy that forwards each connection elsewhere is found by checking the client that is used, too.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaException
from django.conf import settings

from jobs.broker_addresses import Endpoint
from jobs.cluster_identity import (
    ClusterIdentity,
    ClusterRefusedError,
    Home,
    SlowNamesError,
    home_of,
    identity_of,
    require_foreign,
)
from jobs.cluster_probe import Probed, ProbeError, probe
from jobs.connections import ClusterProfile, PasswordDecryptor
from jobs.encryption import DecryptionError
from weir.clusters.models import HOME
from weir.clusters.services.addresses import home_listeners, require_allowed
from weir.workspaces.errors import ServiceError, UnreachableError

TIMEOUT_S: Final = 4.0
RECHECK_INTERVAL_S: Final = 5.0
_FAILURE_TTL_S: Final = 2.0  # after a cluster did not answer, other calls fail at once
_HOME_TTL_S: Final = 60.0
CLOSED: Final = frozenset({"CLUSTER_REFUSED", "ADDRESS_FORBIDDEN"})  # codes of a cluster that may not be used


@dataclass(frozen=True)
class _CheckResult:
    """Result of checking a profile; `error` is None if its cluster is allowed."""

    error: ServiceError | None
    until: float  # monotonic seconds


class ClusterDoor:
    """Checks and caches, for one process, which clusters profiles lead to."""

    def __init__(self, home_client: Callable[[], Any]) -> None:
        self._home_client = home_client
        self._lock = threading.Lock()
        self._results: dict[ClusterProfile, _CheckResult] = {}
        self._home: tuple[tuple[Endpoint, ...], Home, float] | None = (
            None  # listeners, home, monotonic seconds
        )

    def require_open(self, profile: ClusterProfile) -> None:
        """Refuse a profile that leads to the home cluster or to a forbidden address. Results are cached
        for `RECHECK_INTERVAL_S`.

        Raises:
            ServiceError: CLUSTER_REFUSED or ADDRESS_FORBIDDEN.
            UnreachableError: the cluster, or the home cluster, does not answer.
        """
        if profile.cluster_id == HOME:
            return
        known = self._results.get(profile)
        if known is None or known.until < time.monotonic():
            known = self._check(profile)
            with self._lock:
                for old in [
                    each
                    for each in self._results
                    if each.cluster_id == profile.cluster_id and each != profile
                ]:
                    del self._results[old]
                self._results[profile] = known
        if known.error is not None:
            raise type(known.error)(known.error.code, known.error.detail)

    def require_leads_there(self, profile: ClusterProfile, client: Any) -> None:
        """The same check, over the client that is going to be used.

        Raises:
            ServiceError: CLUSTER_REFUSED or ADDRESS_FORBIDDEN.
            UnreachableError: the cluster, or the home cluster, does not answer.
        """
        if profile.cluster_id != HOME:
            self._require(profile, lambda: identity_of(client, TIMEOUT_S))

    def probe(self, profile: ClusterProfile, timeout_s: float = TIMEOUT_S) -> Probed:
        """Fetch a cluster's identity and number of topics; refuse the home cluster and forbidden addresses.

        Args:
            profile: of the cluster; it need not be saved.
            timeout_s: timeout.

        Raises:
            ProbeError: the cluster does not answer, or rejects the user.
            ServiceError: CLUSTER_REFUSED; or SECRET_LOST, the password cannot be decrypted.
            UnreachableError: the home cluster does not answer.
        """
        probed = self._probed(profile, timeout_s, with_topics=True)
        self._require(profile, lambda: probed.identity)
        return probed

    def _probed(self, profile: ClusterProfile, timeout_s: float, *, with_topics: bool = False) -> Probed:
        try:
            return probe(
                profile, PasswordDecryptor(settings.ENCRYPTION_KEY_FILE), timeout_s, with_topics=with_topics
            )
        except DecryptionError as error:
            raise ServiceError(
                "SECRET_LOST", f"Couldn't decrypt the password: {error}. Enter it again."
            ) from error

    def _check(self, profile: ClusterProfile) -> _CheckResult:
        try:
            require_allowed(profile.bootstrap)
            self._require(profile, lambda: self._probed(profile, TIMEOUT_S).identity)
        except UnreachableError as error:
            return _CheckResult(error, time.monotonic() + _FAILURE_TTL_S)
        except ServiceError as error:
            return _CheckResult(error, time.monotonic() + RECHECK_INTERVAL_S)
        return _CheckResult(None, time.monotonic() + RECHECK_INTERVAL_S)

    def _require(self, profile: ClusterProfile, identity: Callable[[], ClusterIdentity]) -> None:
        try:
            found = identity()
            require_foreign(found, self._home_now(), private_allowed=settings.PRIVATE_CLUSTERS)
        except ClusterRefusedError as error:
            raise ServiceError("CLUSTER_REFUSED", str(error)) from None
        except SlowNamesError as error:
            raise UnreachableError("BROKER_UNREACHABLE", str(error)) from None
        except KafkaException as error:
            raise UnreachableError(
                "BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap}: {error.args[0].str()}"
            ) from error
        except ProbeError as error:
            raise UnreachableError(
                "BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} is unreachable: {error}"
            ) from error

    def _home_now(self) -> Home:
        """Identity of the home cluster, cached: its id never changes while it keeps its data."""
        listeners = home_listeners()
        known = self._home if self._home is not None and self._home[0] == listeners else None
        if known is not None and known[2] > time.monotonic():
            return known[1]
        try:
            home = home_of(identity_of(self._home_client(), TIMEOUT_S), listeners)
        except KafkaException as error:
            if known is None:
                raise UnreachableError(
                    "BROKER_UNREACHABLE", "The home cluster is unreachable, so others can't be checked."
                ) from error
            home = known[1]
        self._home = listeners, home, time.monotonic() + _HOME_TTL_S
        return home
