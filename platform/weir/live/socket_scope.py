"""Entries of a connection's scope: what the server offers for its socket."""

from typing import Any, Final

ABORT: Final = "weir.abort"
SEND: Final = "weir.send"
CREDENTIALS: Final = "weir.credentials"


class SocketScope:
    """Puts the server's own `send`, and a function that aborts the transport, into the scope.

    Session middleware looks at each message, which is a sixth of what a frame costs, and none of them
    concerns it once the connection is accepted.

    A close frame waits behind the frames that the client does not read, so the connection would never
    end. ASGI has no message for aborting; uvicorn's `send` is a method of the protocol object that owns
    the transport. With another server the scope holds None, and such a connection ends when the
    operating system closes it.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Pass the connection on."""
        transport = getattr(getattr(send, "__self__", None), "transport", None)
        offered = {ABORT: getattr(transport, "abort", None), SEND: send}
        return await self._inner({**scope, **offered}, receive, send)
