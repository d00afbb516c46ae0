"""Trying a connection before it is saved: resolve, connect, TLS, authenticate, list; the stage that failed, and why in plain words."""

import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from jobs.cluster_probe import Probed, ProbeError
from jobs.connections import ClusterProfile
from weir.clusters.addresses import Server, resolved, servers_of
from weir.clusters.clients import door
from weir.workspaces.errors import ServiceError

Stage = Literal["resolve", "connect", "tls", "authenticate", "list"]
STAGES: Final[tuple[Stage, ...]] = ("resolve", "connect", "tls", "authenticate", "list")
WAIT_S: Final = 3.0
LIST_S: Final = 5.0
_MOST_BROKERS: Final = 5


class _FailedError(Exception):
    """A stage failed; the text says why and what to do."""


@dataclass
class Trial:
    """How far a connection came.

    Attributes:
        done: (stage, what was seen) of the stages that went well or were not needed, in order.
        failed: the stage that failed; None: the cluster can be used.
        cause: why it failed and what to do.
        raw: the client's own words.
        topics: how many topics it listed.
        elapsed_ms: time spent.
    """

    done: list[tuple[Stage, str]] = field(default_factory=list)
    failed: Stage | None = None
    cause: str = ""
    raw: str = ""
    topics: int | None = None
    elapsed_ms: int = 0


def try_cluster(profile: ClusterProfile) -> Trial:
    """Go through the stages until one fails; at most some 15 s, whatever the other side does."""
    began = time.monotonic()
    trial = Trial()
    attempt = _Attempt(profile, trial)
    stages: dict[Stage, Callable[[], str]] = {
        "resolve": attempt.resolve,
        "connect": attempt.connect,
        "tls": attempt.tls,
        "authenticate": attempt.authenticate,
        "list": attempt.list,
    }
    for stage in STAGES:
        try:
            trial.done.append((stage, stages[stage]()))
        except (_FailedError, ServiceError) as error:
            trial.failed, trial.cause = stage, str(error)
            trial.raw = str(error.__cause__ or "")[:1000]
            break
    trial.elapsed_ms = int((time.monotonic() - began) * 1000)
    return trial


class _Attempt:
    """The stages of one trial; each says what it saw."""

    def __init__(self, profile: ClusterProfile, trial: Trial) -> None:
        self._profile = profile
        self._trial = trial
        self._servers: list[Server] = []
        self._probed: Probed | None = None

    def resolve(self) -> str:
        """Every name is known and every address allowed."""
        for server in servers_of(self._profile.bootstrap):
            try:
                self._servers.append(resolved(server))
            except OSError as error:
                raise _FailedError(f"Unknown host {server.host}. Check the spelling and this machine's DNS.") from error
        return ", ".join(f"{server.name} is {' and '.join(server.addresses)}" for server in self._servers)

    def connect(self) -> str:
        """One of the servers takes a connection; the first that does is used for TLS."""
        causes, last = [], None
        for server in list(self._servers):
            try:
                socket.create_connection((server.addresses[0], server.port), WAIT_S).close()
            except OSError as error:
                causes.append(_unconnected(server, error))
                last = error
                continue
            self._servers = [server]
            return f"{server.name} accepts connections"
        raise _FailedError(" ".join(causes)) from last

    def tls(self) -> str:
        """The server proves that it is who it says."""
        if not self._profile.tls:
            return "not used"
        server = self._servers[0]
        context = ssl.create_default_context(cadata=self._profile.ca or None)
        try:
            with (
                socket.create_connection((server.addresses[0], server.port), WAIT_S) as plain,
                context.wrap_socket(plain, server_hostname=server.host) as secured,
            ):
                return f"{secured.version()}; the certificate is valid for {server.host}"
        except ssl.SSLCertVerificationError as error:
            raise _FailedError(_untrusted(server, error)) from error
        except (ssl.SSLError, ConnectionError) as error:
            raise _FailedError(
                f"{server.name}: no TLS on this port, or an unsupported version. Choose a TLS port, or turn TLS off."
            ) from error
        except TimeoutError as error:
            raise _FailedError(
                f"{server.name} doesn't answer to TLS; the port probably has none. Choose a TLS port, or turn TLS off."
            ) from error

    def authenticate(self) -> str:
        """Kafka answers to this user (without a user: it answers), and it is a cluster that may be used here."""
        try:
            self._probed = door.probe(self._profile, LIST_S)
        except ProbeError as error:
            raise _FailedError(self._unanswered(error)) from error
        return f"as {self._profile.username} by {self._profile.mechanism}" if self._profile.sasl else "no authentication"

    def list(self) -> str:
        """Its topics can be listed, and the brokers that it names can be reached from here."""
        if self._probed is None:
            raise _FailedError("The cluster didn't respond.")
        self._trial.topics = self._probed.topics
        brokers = [Server(host, port) for host, port in self._probed.identity.brokers]
        for broker in brokers[:_MOST_BROKERS]:
            try:
                found = resolved(broker)
                socket.create_connection((found.addresses[0], found.port), WAIT_S).close()
            except OSError as error:
                raise _FailedError(
                    f"Broker {broker.name} (advertised listener) is unreachable. Advertise an address that this machine can reach."
                ) from error
        count = len(brokers)
        return f"{self._trial.topics} topics on {count} broker{'' if count == 1 else 's'}"

    def _unanswered(self, error: ProbeError) -> str:
        if error.reason == "user_refused":
            why = f"wrong name or password, or {self._profile.mechanism} isn't set up for it"
            return f"The cluster rejected user {self._profile.username!r}: {why}."
        if error.reason == "mechanism_unknown":
            return f"The cluster doesn't support {self._profile.mechanism}. {error}"
        if self._profile.security == "PLAINTEXT":
            return "Not a Kafka listener, or it needs TLS or SASL."
        if not self._profile.sasl:
            return "Not a Kafka listener, or it needs SASL."
        return f"The Kafka handshake failed: {error}"


def _unconnected(server: Server, error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"Nothing listens at {server.name}. Check the port and whether the broker is running."
    if isinstance(error, TimeoutError):
        return f"{server.name} didn't respond within {WAIT_S:.0f} s. Check the address and firewalls."
    return f"{server.name} is unreachable: {error.strerror or error}."


def _untrusted(server: Server, error: ssl.SSLCertVerificationError) -> str:
    why = error.verify_message
    if "hostname" in why.lower() or "ip address" in why.lower():
        return f"The certificate isn't valid for {server.host}: {why}. Use a host name that it contains."
    if "expired" in why:
        return "The broker's certificate has expired."
    cause = f"Untrusted certificate ({why})."
    return f"{cause} Paste the CA certificate."
