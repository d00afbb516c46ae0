"""The address that a request comes from, as far as it may be believed."""

import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from weir.workspaces.services.request_origin import serving_request_from

UNKNOWN = "0.0.0.0"  # no address is known, as behind a Unix socket: all such clients count as one

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def client_address(request: HttpRequest) -> str:
    """The client's address, for counting attempts.

    An IPv6 client is its /64 network, because whoever has one address there has all.
    """
    address = _address(request)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(address), 64), strict=False).network_address)
    return UNKNOWN if address is None else str(address)


def full_client_address(request: HttpRequest) -> str | None:
    """The client's whole address, for the audit trail; None where it is not known."""
    address = _address(request)
    return None if address is None else str(address)


class RequestOriginMiddleware:
    """Tells the audit trail which address a request comes from."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer."""
        with serving_request_from(full_client_address(request)):
            return self.get_response(request)


def _address(request: HttpRequest) -> _Address | None:
    """The address that may be believed.

    ``X-Forwarded-For`` is written by whoever likes to, so only the entries of our own proxies count: with
    ``NUM_PROXIES`` = n the client is the n-th entry from the right, with 0 the header is not read.
    """
    proxies = settings.NUM_PROXIES
    entries = (
        [entry.strip() for entry in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        if proxies
        else []
    )
    found = _parsed(entries[-min(proxies, len(entries))]) if entries else None
    return found or _parsed(request.META.get("REMOTE_ADDR") or "")


def _parsed(text: str) -> _Address | None:
    """The address without a port, IPv4 where it is one in IPv6's form; None for what is no address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
