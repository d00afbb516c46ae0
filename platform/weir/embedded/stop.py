"""Ends the embedded system, engines included: `make stop`, and what Ctrl-C does."""

import time

from weir.embedded.layout import Layout, read_layout
from weir.embedded.leftovers import end, end_all, engines, marked
from weir.embedded.steps import step
from weir.embedded.supervision import Supervisor

ENGINE_SECONDS = 15
SHUTDOWN_SECONDS = 60


def stop(layout: Layout) -> bool:
    """End everything in an order in which nothing starts anew what was just ended.

    Returns:
        False when nothing ran.
    """
    supervisor = Supervisor(layout.supervisor_socket)
    if not supervisor.answers:
        return end_all(layout.data) > 0
    # Beat and worker would start engines again.
    with step("Feeds, beat and worker"):
        for state in supervisor.states():
            if state["name"] in ("beat", "worker") or state["name"].startswith("feed-"):
                supervisor.stop(state["name"])
    with step("Engines"):
        end(engines(layout.data), ENGINE_SECONDS)
    with step("Web, relay and brokers"):
        supervisor.shut_down()
        until = time.monotonic() + SHUTDOWN_SECONDS
        while marked(layout.data) and time.monotonic() < until:
            time.sleep(0.1)
        end_all(layout.data)
    return True


def main() -> None:
    """The command line."""
    if not stop(read_layout()):
        print("Nothing runs.")


if __name__ == "__main__":
    main()
