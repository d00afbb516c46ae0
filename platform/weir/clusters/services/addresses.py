"""Checks the addresses of workspaces' clusters (`jobs.broker_addresses`) against the
settings of this installation.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

from jobs.broker_addresses import AddressRefusedError, Endpoint, allowed_addresses, endpoints_of, resolve_all
from jobs.cluster_identity import RESOLVE_TIMEOUT_S
from weir.workspaces.errors import ServiceError, UnreachableError


@dataclass(frozen=True)
class Server:
    """A bootstrap server and its resolved addresses."""

    host: str
    port: int
    addresses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """host:port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def servers_in_time(bootstrap: str) -> Iterator[Server]:
    """The servers of a valid bootstrap text, to look up one after the other: each name takes as long as the
    resolver does, so after `RESOLVE_TIMEOUT_S` there is no further one.

    Raises:
        UnreachableError: instead of the next server, after that time.
    """
    until = time.monotonic() + RESOLVE_TIMEOUT_S
    for host, port in endpoints_of(bootstrap):
        if time.monotonic() > until:
            raise UnreachableError(
                "BROKER_UNREACHABLE", "The names of the bootstrap servers take too long to resolve."
            )
        yield Server(host, port)


def resolved(server: Server) -> Server:
    """The server with its addresses.

    Raises:
        OSError: the name is unknown.
        ServiceError: an address is not allowed. If private addresses are forbidden, an unknown name gets the
            same error: the difference would reveal the names of the installation's own network.
    """
    private_allowed: bool = settings.PRIVATE_CLUSTERS
    try:
        addresses = allowed_addresses(
            server.host, server.port, resolve_all(home_listeners()), private_allowed=private_allowed
        )
    except AddressRefusedError as error:
        raise ServiceError("ADDRESS_FORBIDDEN", str(error)) from None
    except OSError:
        if private_allowed:
            raise
        raise ServiceError(
            "ADDRESS_FORBIDDEN", str(AddressRefusedError(server.host, server.port, private_allowed=False))
        ) from None
    return Server(server.host, server.port, addresses)


def require_allowed(bootstrap: str) -> None:
    """Refuse servers with forbidden addresses. An unknown name passes if private addresses are allowed: its
    cluster is just unreachable.

    Raises:
        ServiceError: an address is not allowed, or it is the home cluster's.
        UnreachableError: the names take too long to look up.
    """
    for server in servers_in_time(bootstrap):
        with suppress(OSError):
            resolved(server)


def home_listeners() -> tuple[Endpoint, ...]:
    """Listeners of the home cluster: the one for the platform, and the one for users' own tools."""
    texts = (settings.KAFKA_BOOTSTRAP_SERVERS, settings.KAFKA_OPEN_BOOTSTRAP_SERVERS)
    return tuple(endpoint for text in texts if text for endpoint in endpoints_of(text))
