"""Starts and stops examples' feeds through the embedded system's supervisor (`settings.EXAMPLE_FEEDER`)."""

from xmlrpc.client import Fault

from weir.embedded.layout import read_layout
from weir.embedded.supervisor import GoneError, Supervisor
from weir.workspaces.errors import UnreachableError


def feed_example(example_id: str, *, on: bool) -> None:
    """Start or stop an example's feed; does nothing when that is its state already.

    Raises:
        UnreachableError: the supervisor is unreachable, or does not know the feed.
    """
    supervisor = Supervisor(read_layout().supervisor_socket)
    try:
        (supervisor.start if on else supervisor.stop)(f"feed-{example_id}")
    except (GoneError, Fault) as error:
        problem = "The data generator of this example couldn't be " + ("started" if on else "stopped")
        raise UnreachableError(
            "FEED_FAILED", f"{problem}: it was added after make run started. Everything else is done."
        ) from error
