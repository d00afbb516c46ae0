"""Every client of a workspace's cluster is asked where it leads before it is used, and again while it is used.

Kafka's clients connect by themselves to whatever brokers a cluster names. So a cluster is first asked over one connection to a
bootstrap server (`jobs.cluster_probe`), and clients are made when its answer was found to be harmless. A forwarder that leads each
connection elsewhere is found by asking the very client that is used.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaException
from django.conf import settings

from jobs.broker_addresses import Endpoint
from jobs.cluster_identity import ClusterIdentity, ClusterRefusedError, Home, home_of, identity_of, require_foreign
from jobs.cluster_probe import Probed, ProbeError, probe
from jobs.connections import ClusterProfile, Secrets
from jobs.sealing import SealError
from weir.clusters.addresses import home_listeners, require_allowed
from weir.clusters.models import HOME
from weir.workspaces.errors import ServiceError, UnreachableError

TIMEOUT_S: Final = 4.0
RECHECK_S: Final = 5.0  # of use: how long an answer stands
_FAILED_LIFE_S: Final = 2.0  # after a cluster did not answer, others need not wait for it as well
_HOME_LIFE_S: Final = 60.0
CLOSED: Final = frozenset({"CLUSTER_REFUSED", "ADDRESS_FORBIDDEN"})  # codes of a cluster that may not be used


@dataclass(frozen=True)
class _Verdict:
    """Whether a profile leads to a cluster of its own; None: it does."""

    error: ServiceError | None
    until: float  # monotonic seconds


class ClusterDoor:
    """What is known of where profiles lead, for one process."""

    def __init__(self, home_client: Callable[[], Any]) -> None:
        self._home_client = home_client
        self._lock = threading.Lock()
        self._verdicts: dict[ClusterProfile, _Verdict] = {}
        self._home: tuple[tuple[Endpoint, ...], Home, float] | None = None  # listeners, home, monotonic seconds

    def require_open(self, profile: ClusterProfile) -> None:
        """Refuse a profile that leads home or to an address that is not allowed; an answer stands for `RECHECK_S`.

        Raises:
            ServiceError: CLUSTER_REFUSED or ADDRESS_FORBIDDEN.
            UnreachableError: the cluster, or the home cluster, does not answer.
        """
        if profile.cluster_id == HOME:
            return
        known = self._verdicts.get(profile)
        if known is None or known.until < time.monotonic():
            known = self._ask(profile)
            with self._lock:
                for old in [each for each in self._verdicts if each.cluster_id == profile.cluster_id and each != profile]:
                    del self._verdicts[old]
                self._verdicts[profile] = known
        if known.error is not None:
            raise type(known.error)(known.error.code, known.error.detail)

    def require_leads_there(self, profile: ClusterProfile, client: Any) -> None:
        """The same, asked of the client that is going to be used.

        Raises:
            ServiceError: CLUSTER_REFUSED or ADDRESS_FORBIDDEN.
            UnreachableError: the cluster, or the home cluster, does not answer.
        """
        if profile.cluster_id != HOME:
            self._require(profile, lambda: identity_of(client, TIMEOUT_S))

    def probe(self, profile: ClusterProfile, timeout_s: float = TIMEOUT_S) -> Probed:
        """Ask a cluster who it is, how many topics it has, and refuse what leads home or to an address that is not allowed.

        Args:
            profile: which cluster; it need not be saved.
            timeout_s: how long it may take.

        Raises:
            ProbeError: the cluster does not answer, or refuses the user.
            ServiceError: CLUSTER_REFUSED; or SECRET_LOST, the password does not open.
            UnreachableError: the home cluster does not answer.
        """
        probed = self._probed(profile, timeout_s, with_topics=True)
        self._require(profile, lambda: probed.identity)
        return probed

    def _probed(self, profile: ClusterProfile, timeout_s: float, *, with_topics: bool = False) -> Probed:
        try:
            return probe(profile, Secrets(settings.SEAL_KEY_FILE), timeout_s, with_topics=with_topics)
        except SealError as error:
            raise ServiceError("SECRET_LOST", f"Couldn't decrypt the password: {error}. Enter it again.") from error

    def _ask(self, profile: ClusterProfile) -> _Verdict:
        try:
            require_allowed(profile.bootstrap)
            self._require(profile, lambda: self._probed(profile, TIMEOUT_S).identity)
        except UnreachableError as error:
            return _Verdict(error, time.monotonic() + _FAILED_LIFE_S)
        except ServiceError as error:
            return _Verdict(error, time.monotonic() + RECHECK_S)
        return _Verdict(None, time.monotonic() + RECHECK_S)

    def _require(self, profile: ClusterProfile, identity: Callable[[], ClusterIdentity]) -> None:
        try:
            seen = identity()
            require_foreign(seen, self._home_now(), private_allowed=settings.PRIVATE_CLUSTERS)
        except ClusterRefusedError as error:
            raise ServiceError("CLUSTER_REFUSED", str(error)) from None
        except KafkaException as error:
            raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap}: {error.args[0].str()}") from error
        except ProbeError as error:
            raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} is unreachable: {error}") from error

    def _home_now(self) -> Home:
        """The home cluster, as it was last seen: it keeps its id for as long as its data."""
        listeners = home_listeners()
        known = self._home if self._home is not None and self._home[0] == listeners else None
        if known is not None and known[2] > time.monotonic():
            return known[1]
        try:
            home = home_of(identity_of(self._home_client(), TIMEOUT_S), listeners)
        except KafkaException as error:
            if known is None:
                raise UnreachableError(
                    "BROKER_UNREACHABLE",
                    ("The home cluster is unreachable, so Weir can't check that this is another cluster. Try again later."),
                ) from error
            home = known[1]
        self._home = listeners, home, time.monotonic() + _HOME_LIFE_S
        return home
