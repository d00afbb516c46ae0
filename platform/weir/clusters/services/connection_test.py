"""Tests a connection before it is saved: resolve, connect, TLS, authenticate, list. Returns the check
that failed and the reason.
"""

import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from jobs.broker_addresses import connect
from jobs.cluster_probe import Probed, ProbeError
from jobs.connections import ClusterProfile
from weir.clusters.services.addresses import Server, resolved, servers_in_time
from weir.clusters.services.clients import door
from weir.clusters.services.reachability import refusal
from weir.workspaces.errors import ServiceError

Check = Literal["resolve", "connect", "tls", "authenticate", "list"]
CHECKS: Final[tuple[Check, ...]] = ("resolve", "connect", "tls", "authenticate", "list")
CONNECT_TIMEOUT_S: Final = 3.0
PROBE_TIMEOUT_S: Final = 5.0
_CONNECT_MAX_S: Final = 9.0  # for all bootstrap servers together
_MAX_BROKERS: Final = 5


class _FailedError(Exception):
    """A check failed. The message says why and what to do."""


@dataclass
class ConnectionTest:
    """Result of a connection test.

    Attributes:
        passed: (check, observation) of the checks that passed or were not needed, in order.
        failed: the check that failed; None: the cluster can be used.
        cause: why it failed and what to do.
        raw: the client's error message.
        topics: number of listed topics.
        elapsed_ms: time spent.
    """

    passed: list[tuple[Check, str]] = field(default_factory=list)
    failed: Check | None = None
    cause: str = ""
    raw: str = ""
    topics: int | None = None
    elapsed_ms: int = 0


def test_connection(profile: ClusterProfile) -> ConnectionTest:
    """Run the checks until one fails, within about 15 s and the time that names take to be looked up."""
    began = time.monotonic()
    result = ConnectionTest()
    attempt = _Attempt(profile, result)
    checks: dict[Check, Callable[[], str]] = {
        "resolve": attempt.resolve,
        "connect": attempt.connect,
        "tls": attempt.tls,
        "authenticate": attempt.authenticate,
        "list": attempt.list,
    }
    for check in CHECKS:
        try:
            result.passed.append((check, checks[check]()))
        except (_FailedError, ServiceError) as error:
            result.failed, result.cause = check, str(error)
            result.raw = str(error.__cause__ or "")[:1000]
            break
    result.elapsed_ms = int((time.monotonic() - began) * 1000)
    return result


class _Attempt:
    """The checks of one connection test. Each returns its observation."""

    def __init__(self, profile: ClusterProfile, result: ConnectionTest) -> None:
        self._profile = profile
        self._result = result
        self._servers: list[Server] = []
        self._probed: Probed | None = None

    def resolve(self) -> str:
        """Every name is known and every address allowed."""
        for server in servers_in_time(self._profile.bootstrap):
            try:
                self._servers.append(resolved(server))
            except OSError as error:
                raise _FailedError(
                    f"Unknown host {server.host}. Check the spelling and this machine's DNS."
                ) from error
        return ", ".join(f"{server.name} is {' and '.join(server.addresses)}" for server in self._servers)

    def connect(self) -> str:
        """One of the servers accepts a connection; the first that does is used for TLS."""
        causes, last = [], None
        until = time.monotonic() + _CONNECT_MAX_S
        for server in list(self._servers):
            if time.monotonic() >= until:
                causes.append("The other servers were not tried.")
                break
            try:
                _connected(server).close()
            except OSError as error:
                causes.append(_unconnected(server, error))
                last = error
                continue
            self._servers = [server]
            return f"{server.name} accepts connections"
        raise _FailedError(" ".join(causes)) from last

    def tls(self) -> str:
        """The server's certificate is valid and matches its name."""
        if not self._profile.tls:
            return "not used"
        server = self._servers[0]
        context = ssl.create_default_context(cadata=self._profile.ca or None)
        try:
            with (
                _connected(server) as plain,
                context.wrap_socket(plain, server_hostname=server.host) as secured,
            ):
                return f"{secured.version()}; the certificate is valid for {server.host}"
        except ssl.SSLCertVerificationError as error:
            raise _FailedError(_untrusted(server, error)) from error
        except (ssl.SSLError, ConnectionError) as error:
            raise _FailedError(
                f"{server.name}: no TLS on this port, or an unsupported version. "
                "Choose a TLS port, or turn TLS off."
            ) from error
        except TimeoutError as error:
            raise _FailedError(
                f"{server.name} doesn't answer to TLS; the port probably has none. "
                "Choose a TLS port, or turn TLS off."
            ) from error

    def authenticate(self) -> str:
        """Kafka accepts the user, if there is one, and the cluster is allowed."""
        try:
            self._probed = door.probe(self._profile, PROBE_TIMEOUT_S)
        except ProbeError as error:
            raise _FailedError(self._unanswered(error)) from error
        return (
            f"as {self._profile.username} by {self._profile.mechanism}"
            if self._profile.sasl
            else "no authentication"
        )

    def list(self) -> str:
        """Its topics can be listed, and its brokers' advertised listeners can be reached."""
        if self._probed is None:
            raise _FailedError("The cluster didn't respond.")
        self._result.topics = self._probed.topics
        brokers = [Server(host, port) for host, port in self._probed.identity.brokers]
        for broker in brokers[:_MAX_BROKERS]:
            try:
                _connected(resolved(broker)).close()
            except OSError as error:
                raise _FailedError(
                    f"Broker {broker.name} (advertised listener) is unreachable. "
                    "Advertise an address that this machine can reach."
                ) from error
        count = len(brokers)
        return f"{self._result.topics} topics on {count} broker{'' if count == 1 else 's'}"

    def _unanswered(self, error: ProbeError) -> str:
        refused = refusal(self._profile, error)
        if refused:
            return refused
        if error.reason == "too_many_topics":
            return str(error)
        if self._profile.security == "PLAINTEXT":
            return "Not a Kafka listener, or it needs TLS or SASL."
        if not self._profile.sasl:
            return "Not a Kafka listener, or it needs SASL."
        return f"The Kafka handshake failed: {error}"


def _connected(server: Server) -> socket.socket:
    return connect(server.addresses, server.port, CONNECT_TIMEOUT_S)


def _unconnected(server: Server, error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"Nothing listens at {server.name}. Check the port and whether the broker is running."
    if isinstance(error, TimeoutError):
        return (
            f"{server.name} didn't respond within {CONNECT_TIMEOUT_S:.0f} s. Check the address and firewalls."
        )
    return f"{server.name} is unreachable: {error.strerror or error}."


def _untrusted(server: Server, error: ssl.SSLCertVerificationError) -> str:
    reason = error.verify_message
    if "hostname" in reason.lower() or "ip address" in reason.lower():
        return f"The certificate isn't valid for {server.host}: {reason}. Use a host name that it contains."
    if "expired" in reason:
        return "The broker's certificate has expired."
    cause = f"Untrusted certificate ({reason})."
    return f"{cause} Paste the CA certificate."
