"""Where the request that is being served comes from, for the audit trail.

Services do not know requests. The address is kept beside them, in the context of the thread or task that
serves the request, so that no service has to hand it on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_ADDRESS: Final[ContextVar[str | None]] = ContextVar("request address", default=None)


@contextmanager
def serving_request_from(address: str | None) -> Iterator[None]:
    """What happens inside belongs to a request from this address; None: it is not known."""
    token = _ADDRESS.set(address)
    try:
        yield
    finally:
        _ADDRESS.reset(token)


def request_address() -> str | None:
    """The address of the request that is being served; None outside of requests, as in a worker's task."""
    return _ADDRESS.get()
