"""What the layers around a connection tell it in its scope; among it a way to drop a client that takes nothing any more."""

from typing import Any, Final

ABORT: Final = "weir.abort"
CREDENTIALS: Final = "weir.credentials"


class AbortableSocket:
    """Puts the server's way to drop the transport into the scope.

    A close frame waits behind what the client does not read, and so would the connection for ever. ASGI has no word for
    dropping it; uvicorn's `send` is a method of the protocol object that owns the transport. Under another server the
    scope holds None, and such a connection ends when the operating system gives it up.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Pass the connection on."""
        transport = getattr(getattr(send, "__self__", None), "transport", None)
        return await self._inner({**scope, ABORT: getattr(transport, "abort", None)}, receive, send)
