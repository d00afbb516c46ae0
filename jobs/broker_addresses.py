"""The addresses that brokers of a workspace's clusters may have. Names are resolved, because only the address
counts.
"""

import socket
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from jobs.base.addresses import Address, is_usable, plain_address

Endpoint = tuple[str, int]  # host name or address, port


class AddressRefusedError(ValueError):
    """An address that no cluster of a workspace may have.

    The text is the same whatever the reason, so that it reveals nothing about the network.
    """

    def __init__(self, host: str, port: int, *, private_allowed: bool) -> None:
        inside = (
            ""
            if private_allowed
            else " Private addresses aren't allowed either; set WEIR_PRIVATE_CLUSTERS to allow them."
        )
        super().__init__(
            f"Address {host}:{port} isn't allowed: it belongs to this installation's own Kafka, is "
            f"link-local or is reserved.{inside}"
        )


def endpoints_of(bootstrap: str) -> list[Endpoint]:
    """Host and port of each server in a valid bootstrap text."""
    parts = (part.rpartition(":") for part in bootstrap.split(","))
    return [(host.strip("[]"), int(port)) for host, _, port in parts]


def resolve(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host, as text.

    Raises:
        OSError: the name can't be resolved.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # some texts Python refuses itself, and brokers advertise any
        raise OSError(f"not a host name: {error}") from error
    return tuple(dict.fromkeys(str(address[4][0]) for address in addresses))


def connect(addresses: Sequence[str], port: int, timeout_s: float) -> socket.socket:
    """A connection to the first of a server's addresses that accepts one. They share the time: whoever owns a
    name may give it hundreds that are silent.

    Args:
        addresses: of the server, as `resolve` gives them.
        port: of the server.
        timeout_s: limit for all addresses together, in seconds, and the timeout of the socket then.

    Raises:
        OSError: none accepts one; the error of the last.
    """
    until = time.monotonic() + timeout_s
    failed = OSError("no address")
    for number, address in enumerate(addresses):
        left_s = max(0.1, until - time.monotonic())
        try:
            opened = socket.create_connection((address, port), left_s / (len(addresses) - number))
        except OSError as error:
            failed = error
        else:
            opened.settimeout(timeout_s)
            return opened
    raise failed


def resolve_all(endpoints: Iterable[Endpoint]) -> frozenset[Endpoint]:
    """Addresses and port of every endpoint; names that can't be resolved are left out."""
    found: set[Endpoint] = set()
    for host, port in endpoints:
        with suppress(OSError):
            found |= {(str(plain_address(text)), port) for text in resolve(host, port)}
    return frozenset(found)


def allowed_addresses(
    host: str, port: int, home: frozenset[Endpoint], *, private_allowed: bool
) -> tuple[str, ...]:
    """The addresses of a broker, if all of them are allowed.

    Args:
        host: name or address.
        port: of the broker.
        home: addresses and ports of the home cluster's brokers (`resolve_all`).
        private_allowed: whether loopback and private addresses may be used.

    Raises:
        OSError: the name can't be resolved.
        AddressRefusedError: one of its addresses is not allowed.
    """
    addresses = resolve(host, port)
    for text in addresses:
        if not _is_allowed(plain_address(text), port, home, private_allowed=private_allowed):
            raise AddressRefusedError(host, port, private_allowed=private_allowed)
    return addresses


def _is_allowed(
    address: Address,
    port: int,
    home: frozenset[Endpoint],
    *,
    private_allowed: bool,
) -> bool:
    if (str(address), port) in home:
        return False
    return is_usable(address, private_allowed=private_allowed)
