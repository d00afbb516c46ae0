"""Addresses of the internet protocol that stand for other ones."""

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")


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
