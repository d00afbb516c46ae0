"""Ends the embedded system, engines included: `make stop`, and what Ctrl-C does."""

import os
import subprocess
import sys
import time
from contextlib import suppress

import psutil

from weir.embedded.layout import Layout, read_layout
from weir.embedded.leftovers import end, end_all, engines
from weir.embedded.programs import BROKERS, environment
from weir.embedded.steps import step
from weir.embedded.supervision import GoneError, Supervisor

ENGINE_SECONDS = 30  # its queries end within 8 s; its first end also records its classes, which takes 5 to 15 s (jobs/engine/class_data.py)
SHUTDOWN_SECONDS = 60
LISTENERS = ("web", "relay")  # of use until the last report of an engine


def stop(layout: Layout) -> bool:
    """End everything in an order in which nothing starts anew what was just ended.

    Returns:
        False when nothing ran.
    """
    supervisor = Supervisor(layout.supervisor_socket)
    if not supervisor.answers:
        return end_all(layout.data) > 0
    with suppress(GoneError):  # somebody else ends it, too
        _stop_in_order(layout, supervisor)
    end_all(layout.data)
    return True


def _stop_in_order(layout: Layout, supervisor: Supervisor) -> None:
    names = {state["name"] for state in supervisor.states()}
    with step("Feeds, beat and worker"):  # the latter two would start engines again
        supervisor.stop(*names.difference(BROKERS, LISTENERS))
    with step("Engines"):
        end(engines(layout.data), ENGINE_SECONDS)
        command = [sys.executable, "-m", "weir.embedded.engines_ended"]
        subprocess.run(command, cwd=layout.repository, env=os.environ | environment(layout), check=False)
    with step("Web, relay and brokers"):
        supervisor.stop(*names.intersection(LISTENERS))
        supervisor.stop(*names.intersection(BROKERS))
        supervisor.shut_down()
        until = time.monotonic() + SHUTDOWN_SECONDS
        while _supervised(layout) and time.monotonic() < until:
            time.sleep(0.1)


def _supervised(layout: Layout) -> bool:
    file = layout.data / "supervisord.pid"  # removed by supervisord when all its programs have ended
    return file.exists() and psutil.pid_exists(int(file.read_text()))


def main() -> None:
    """The command line."""
    if not stop(read_layout()):
        print("Nothing runs.")


if __name__ == "__main__":
    main()
