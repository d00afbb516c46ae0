"""Who a WebSocket belongs to: a browser's session from an allowed origin, or a program's single-use ticket."""

from typing import Any
from urllib.parse import parse_qs

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier

from weir.workspaces.passes import redeem_ticket


class OriginOrTicket:
    """Sets ``scope["user"]``.

    With ``?ticket=`` the ticket alone decides: programs send no Origin, and a ticket cannot be had across sites.
    Without one, the Origin must be an allowed host and the session cookie says who it is.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.browser = AllowedHostsOriginValidator(AuthMiddlewareStack(inner))

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Hands the connection on with its user, or denies it."""
        tickets = parse_qs(scope["query_string"].decode("latin-1")).get("ticket")
        if not tickets:
            return await self.browser(scope, receive, send)
        user = await database_sync_to_async(redeem_ticket)(tickets[0])
        if user is None:
            return await WebsocketDenier()(scope, receive, send)
        return await self.inner({**scope, "user": user}, receive, send)
