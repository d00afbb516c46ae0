"""Ends the embedded system, engines included: `make stop`, and what Ctrl-C does."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from jobs.messages import quiet_file
from weir.embedded.layout import Layout, read_layout
from weir.embedded.leftovers import end, end_all, engines
from weir.embedded.programs import BROKERS, environment
from weir.embedded.steps import step
from weir.embedded.supervision import GoneError, Supervisor

QUERIES_TIMEOUT_S = 9.0  # an engine gives its queries 8 s
ENGINE_TIMEOUT_S = 10.0  # its first end also records its classes, for as long as there is time (jobs/engine/cds_archive.py)
SHUTDOWN_TIMEOUT_S = 60.0
LAST_LISTENERS = ("relay",)  # of use until the last report of an engine


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
    began = time.monotonic()
    with _note_of_end(layout) as note:
        with step("Web, worker, feeds and queries"):
            first = names.difference(BROKERS, LAST_LISTENERS)
            supervisor.begin_stop(*first)  # the worker takes no more tasks: it would start an engine again
            ending = _begin_to_end(layout)
            supervisor.stop(*first)
            ending += [each for each in _begin_to_end(layout) if each not in ending]
            _wait_until(lambda: all(_is_quiet(layout, each) for each in ending), began + QUERIES_TIMEOUT_S)
        with step("Relay and brokers"):
            # What the relay has not read by now it reads after the next start. It ends before Kafka: its consumers say goodbye to the
            # broker, and wait for one that is gone until they are killed.
            last = names.intersection(LAST_LISTENERS)
            supervisor.begin_stop(*last)
            note()  # hands tasks to the queue, so that goes last
            supervisor.stop(*last)
            supervisor.stop(*names.intersection(BROKERS))
            supervisor.shut_down()
            _wait_until(lambda: not _supervised(layout), time.monotonic() + SHUTDOWN_TIMEOUT_S)
    with step("Engines"):
        end(engines(layout.data), max(1.0, began + ENGINE_TIMEOUT_S - time.monotonic()))


@contextmanager
def _note_of_end(layout: Layout) -> Iterator[Callable[[], None]]:
    """What writes down that the engines were ended, and returns when that is done; its process starts now, beside what is being ended."""
    command = [sys.executable, "-m", "weir.embedded.engines_ended"]
    with subprocess.Popen(command, cwd=layout.repository, env=os.environ | environment(layout), stdin=subprocess.PIPE) as process:

        def note() -> None:
            process.communicate(b"ended")

        try:
            yield note
        except BaseException:
            process.kill()
            raise


def _begin_to_end(layout: Layout) -> list[psutil.Process]:
    """SIGTERM to every engine; those that were there."""
    found = engines(layout.data)
    for process in found:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    return found


def _is_quiet(layout: Layout, engine: psutil.Process) -> bool:
    """True when its queries have ended and its last report is sent, or it is gone."""
    try:
        engine_id = Path(engine.cmdline()[-1]).stem  # its settings' file is its one argument
        ended = engine.status() == psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, IndexError):
        return True
    return ended or quiet_file(layout.data, engine_id).exists()


def _wait_until(condition: Callable[[], bool], until: float) -> None:
    while not condition() and time.monotonic() < until:
        time.sleep(0.1)


def _supervised(layout: Layout) -> bool:
    file = layout.data / "supervisord.pid"  # removed by supervisord when all its programs have ended
    return file.exists() and psutil.pid_exists(int(file.read_text()))


def main() -> None:
    """The command line."""
    if not stop(read_layout()):
        print("Nothing is running.")


if __name__ == "__main__":
    main()
