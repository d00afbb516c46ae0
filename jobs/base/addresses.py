"""Addresses of the internet protocol: those that stand for other ones, and those that anybody may reach."""

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
# All of IPv6 that is given out to be routed: site-local addresses (fec0::/10), a network's own NAT64 and
# segment identifiers lie outside, and `is_global` takes some of them for public.
_ROUTED: Final = ipaddress.ip_network("2000::/3")
_NOT_PUBLIC: Final = (
    ipaddress.ip_network("192.0.0.0/24"),  # protocols' own, of which `is_global` knows some
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4: whichever is nearest
    ipaddress.ip_network("3fff::/20"),  # documentation
)


def plain_address(text: str) -> Address:
    """An address without its zone.

    For an IPv6 address that leads to an IPv4 one (mapped, NAT64, 6to4, Teredo) it is that: its packets go
    there.

    Raises:
        ValueError: the text is no address.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo is not None else address)


def is_public(address: Address) -> bool:
    """Whether an address (`plain_address`) is one of the public internet."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _ROUTED:
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC)


def is_usable(address: Address, *, private_allowed: bool) -> bool:
    """Whether a connection that somebody asks for may go to an address (`plain_address`): never to a
    link-local one, where clouds keep credentials, nor to a multicast, unspecified or reserved one.

    Args:
        address: of the other side.
        private_allowed: whether loopback and private addresses may be used.
    """
    if address.is_loopback:  # first: ::1 is reserved, too
        return private_allowed
    if address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved:
        return False
    return private_allowed or is_public(address)
