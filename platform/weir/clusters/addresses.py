"""Which addresses a cluster may have: names are resolved here, and the address is what counts (`facts/security.md` 5)."""

import ipaddress
import socket
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

from weir.workspaces.refusals import RefusalError


@dataclass(frozen=True)
class Server:
    """One of the bootstrap servers, as written and as resolved."""

    host: str
    port: int
    addresses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """host:port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def servers_of(bootstrap: str) -> list[Server]:
    """The servers of a checked bootstrap text."""
    found = []
    for part in bootstrap.split(","):
        host, _, port = part.rpartition(":")
        found.append(Server(host.strip("[]"), int(port)))
    return found


def resolved(server: Server) -> Server:
    """The server with its addresses.

    Raises:
        OSError: the name is not known.
        RefusalError: an address is one that no cluster may have.
    """
    addresses = _addresses(server)
    home = _home_addresses()
    for address in addresses:
        _require_allowed(server, address, home)
    return Server(server.host, server.port, addresses)


def require_allowed(bootstrap: str) -> None:
    """Refuse servers that no cluster may have. A name that nobody knows today passes: its cluster is merely not reachable.

    Raises:
        RefusalError: an address is not allowed, or it is the home cluster's.
    """
    for server in servers_of(bootstrap):
        with suppress(OSError):
            resolved(server)


def _addresses(server: Server) -> tuple[str, ...]:
    answers = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))


def _home_addresses() -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for server in servers_of(settings.KAFKA_BOOTSTRAP_SERVERS):
        with suppress(OSError):
            found |= {(address, server.port) for address in _addresses(server)}
    return found


def _require_allowed(server: Server, text: str, home: set[tuple[str, int]]) -> None:
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    if (str(address), server.port) in home:
        # By another door the topics of the system and of other workspaces would lie open.
        raise RefusalError("ADDRESS_REFUSED", f"{server.name} is the home cluster. It is there already, under its own name.")
    if address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved:
        raise RefusalError("ADDRESS_REFUSED", f"{server.name} is {address}, an address that no cluster may have.")
    if (address.is_loopback or address.is_private) and not settings.PRIVATE_CLUSTERS:
        raise RefusalError(
            "ADDRESS_REFUSED",
            f"{server.name} is {address}, inside this installation's own network; WEIR_PRIVATE_CLUSTERS allows such clusters.",
        )
