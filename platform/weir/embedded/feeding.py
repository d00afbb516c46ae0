"""Runs the feeds of templates under the supervisor of the embedded system; `settings.EXAMPLE_FEEDER` names it."""

from xmlrpc.client import Fault

from weir.embedded.layout import read_layout
from weir.embedded.supervision import GoneError, Supervisor
from weir.workspaces.errors import UnreachableError


def feed_example(example_id: str, *, on: bool) -> None:
    """Start or stop a template's feed; what is so already stays so.

    Raises:
        UnreachableError: the supervisor does not answer, or does not know the feed.
    """
    supervisor = Supervisor(read_layout().supervisor_socket)
    try:
        (supervisor.start if on else supervisor.stop)(f"feed-{example_id}")
    except (GoneError, Fault) as error:
        what = "The data generator of this example couldn't be " + ("started" if on else "stopped")
        raise UnreachableError("FEED_FAILED", f"{what}: it was added after make run started. Everything else is done.") from error
