"""Ends the embedded system, engines included: `make stop`, and what Ctrl-C does."""

import os
import subprocess
import sys
import time

import psutil

from weir.embedded.layout import Layout, read_layout
from weir.embedded.leftovers import end, end_all, engines
from weir.embedded.programs import environment
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
        command = [sys.executable, "-m", "weir.embedded.engines_ended"]
        subprocess.run(command, cwd=layout.repository, env=os.environ | environment(layout), check=False)
    with step("Web, relay and brokers"):
        supervisor.shut_down()
        until = time.monotonic() + SHUTDOWN_SECONDS
        while _supervised(layout) and time.monotonic() < until:
            time.sleep(0.1)
        end_all(layout.data)
    return True


def _supervised(layout: Layout) -> bool:
    file = layout.data / "supervisord.pid"  # removed by supervisord when all its programs have ended
    return file.exists() and psutil.pid_exists(int(file.read_text()))


def main() -> None:
    """The command line."""
    if not stop(read_layout()):
        print("Nothing runs.")


if __name__ == "__main__":
    main()
