"""Who a WebSocket belongs to: a browser's session from our own origin, a program's ticket or token, or the
ticket of a link to a dashboard.
"""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import parse_cookie
from django.http.request import split_domain_port, validate_host
from rest_framework.exceptions import AuthenticationFailed

from weir.dashboards.services.share_links import TICKET_PREFIX, redeem_share_ticket
from weir.live.rights import Standing, read_rights
from weir.live.socket_scope import CREDENTIALS
from weir.project.nul_characters import has_nul
from weir.workspaces.api.authentication import SCHEMES, TokenAuthentication
from weir.workspaces.services.one_time_tokens import redeem_ticket

_PORTS: Final = {"http": 80, "https": 443}

Origin = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a connection rests on; when it ends, so does the connection. All None: a
    session, which the scope holds.

    Attributes:
        token: the digest of an API token.
        session: the key of the session that a ticket was made with.
        link: the id of the link to a dashboard that a ticket was made with; nobody is signed in then.
    """

    token: str | None = None
    session: str | None = None
    link: str | None = None


class WebSocketAuth:
    """Sets ``scope["user"]`` and what the connection rests on.

    With ``?ticket=`` or ``Authorization`` these alone decide: programs send no Origin, and a page of another
    site has neither. Without them the Origin must be our own and the session cookie says who it is.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.browser = AuthMiddlewareStack(inner)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Hands the connection on with its user, or denies it."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        tickets = parse_qs(scope["query_string"].decode("latin-1")).get("ticket")
        if tickets or b"authorization" in headers:
            work = database_sync_to_async(_by_ticket if tickets else _by_token)
            found = await work(tickets[0] if tickets else headers[b"authorization"])
            if found is None:
                return await WebsocketDenier()(scope, receive, send)
            user, credentials = found
            return await self.inner({**scope, "user": user, CREDENTIALS: credentials}, receive, send)
        is_own = is_own_origin(headers.get(b"origin", ""), headers, scope.get("scheme", "ws"))
        if not is_own or has_nul(parse_cookie(headers.get(b"cookie", ""))):
            return await WebsocketDenier()(scope, receive, send)
        return await self.browser(scope, receive, send)


def _by_ticket(text: str) -> tuple[Any, Credentials] | None:
    if text.startswith(TICKET_PREFIX):
        link_id = redeem_share_ticket(text)
        return None if link_id is None else (AnonymousUser(), Credentials(link=link_id))
    ticket = redeem_ticket(text)
    if ticket is None:
        return None
    # A session that ends, and a new password, leave the tickets that were made before.
    standing = Standing(ticket.user.pk, ticket.session_key or None, ticket.token_id)
    if standing not in read_rights([standing]).standing:
        return None
    return ticket.user, Credentials(standing.token, standing.session_key)


def _by_token(header: str) -> tuple[Any, Credentials] | None:
    scheme, _, text = header.partition(" ")
    if scheme.lower() not in SCHEMES:
        return None
    try:
        user, row = TokenAuthentication().authenticate_text(text.strip())
    except AuthenticationFailed:
        return None
    return user, Credentials(token=row.digest)


def is_own_origin(origin: str, headers: dict[bytes, str], scheme: str) -> bool:
    """True when a page of this very address asks, or of one in ``CSRF_TRUSTED_ORIGINS``: scheme,
    host and port are compared.

    Args:
        origin: the header; empty where it is missing.
        headers: of the handshake; Host, and behind a TLS-terminating proxy X-Forwarded-Proto.
        scheme: of the connection as it arrived here, ws or wss.
    """
    asked = _origin(origin)
    if asked is None:
        return False
    host = headers.get(b"host", "")
    domain, _ = split_domain_port(host)
    if (
        domain
        and validate_host(domain, settings.ALLOWED_HOSTS)
        and asked == _origin(f"{_scheme(headers, scheme)}://{host}")
    ):
        return True
    return any(_is_trusted(asked, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _scheme(headers: dict[bytes, str], scheme: str) -> str:
    """http or https, as the browser sees it."""
    if settings.BEHIND_TLS:
        return "https" if headers.get(b"x-forwarded-proto", "").split(",")[0].strip() == "https" else "http"
    return "https" if scheme == "wss" else "http"


def _origin(text: str) -> Origin | None:
    """Scheme, host and port; None for ``null`` and what else is no origin."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if (
        parts.scheme not in _PORTS
        or not parts.hostname
        or parts.path
        or parts.query
        or parts.fragment
        or parts.username is not None
    ):
        return None
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme]


def _is_trusted(asked: Origin, trusted: str) -> bool:
    """As Django compares them for forms: ``https://*.example.org`` trusts every name below."""
    if "://*." not in trusted:
        return asked == _origin(trusted)
    base = _origin(trusted.replace("*.", "", 1))
    return (
        base is not None and asked[0] == base[0] and asked[2] == base[2] and asked[1].endswith(f".{base[1]}")
    )
