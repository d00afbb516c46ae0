"""The address that a request comes from, as far as it may be believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "0.0.0.0"  # no address is known, as behind a Unix socket: all such clients count as one


def client_address(request: HttpRequest) -> str:
    """The client's address, for counting attempts.

    ``X-Forwarded-For`` is written by whoever likes to, so only the entries of our own proxies count: with
    ``NUM_PROXIES`` = n the client is the n-th entry from the right, with 0 the header is not read. An IPv6
    client is its /64 network, because whoever has one address there has all.
    """
    proxies = settings.NUM_PROXIES
    entries = (
        [entry.strip() for entry in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        if proxies
        else []
    )
    found = _network(entries[-min(proxies, len(entries))]) if entries else None
    return found or _network(request.META.get("REMOTE_ADDR") or "") or UNKNOWN


def _network(text: str) -> str | None:
    """The address without a port, or the first of its /64; None for what is no address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((int(address), 64), strict=False).network_address)
    return str(address)
