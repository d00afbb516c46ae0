"""Entries of a connection's scope; one of them drops a client that does not read any more."""

from typing import Any, Final

ABORT: Final = "weir.abort"
CREDENTIALS: Final = "weir.credentials"


class AbortableSocket:
    """Puts a function that aborts the transport into the scope.

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
        return await self._inner({**scope, ABORT: getattr(transport, "abort", None)}, receive, send)
