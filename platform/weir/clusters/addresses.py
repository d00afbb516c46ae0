"""Which addresses a cluster may have: names are resolved here, and the address is what counts (`facts/security.md` 5)."""

import ipaddress
import socket
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
    answers = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))
    for address in addresses:
        _require_allowed(server, address)
    return Server(server.host, server.port, addresses)


def _require_allowed(server: Server, text: str) -> None:
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    if address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved:
        raise RefusalError("ADDRESS_REFUSED", f"{server.name} is {address}, an address that no cluster may have.")
    if (address.is_loopback or address.is_private) and not settings.PRIVATE_CLUSTERS:
        raise RefusalError(
            "ADDRESS_REFUSED",
            f"{server.name} is {address}, inside this installation's own network; WEIR_PRIVATE_CLUSTERS allows such clusters.",
        )
