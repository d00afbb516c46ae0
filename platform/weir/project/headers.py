"""Security headers beyond Django's own."""

from collections.abc import Callable
from typing import Final

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

# Styles may be inline: the component library writes them. Scripts never are.
_POLICY: Final = (
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
PERMISSIONS_POLICY: Final = "camera=(), microphone=(), geolocation=(), payment=()"


_FOR_MACHINES: Final = frozenset({"/healthz", "/readyz", "/metrics"})


class HostMiddleware(CommonMiddleware):
    """Refuses requests to a host that is not in `ALLOWED_HOSTS`, but for what probes and Prometheus ask: they
    come to a process's own address, and no answer there depends on the host.
    """

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Raises `DisallowedHost`, or lets the request on."""
        return None if request.path in _FOR_MACHINES else super().process_request(request)


class ContentSecurityMiddleware:
    """Adds the content security and permissions policies; keeps answers of the API and
    the registry out of caches.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, with the headers it lacks."""
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", content_security_policy(request))
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        if request.path.startswith(("/api/", "/registry/")):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def content_security_policy(request: HttpRequest) -> str:
    """The policy for pages of this address: they connect to this address alone.

    ``'self'`` covers the WebSocket only in newer browsers, hence its own origin by name. A request with a
    host that is not ours gets no name.
    """
    try:
        socket = f" {'wss' if request.is_secure() else 'ws'}://{request.get_host()}"
    except DisallowedHost:
        socket = ""
    return "; ".join((*_POLICY, f"connect-src 'self'{socket}"))
