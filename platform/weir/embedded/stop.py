"""`make stop`, and Ctrl-C in `make run`: stops the embedded system, engines included."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from jobs.base.quiet_file import quiet_file
from weir.embedded import sole_run
from weir.embedded.layout import Layout, read_layout
from weir.embedded.orphan_processes import end, end_all, engines
from weir.embedded.programs import BROKERS, environment
from weir.embedded.progress_output import step
from weir.embedded.saved_environment import saved
from weir.embedded.supervisor import GoneError, Supervisor

QUERIES_TIMEOUT_S = 9.0  # an engine gives its queries 8 s
ENGINE_TIMEOUT_S = 10.0
MARK_TIMEOUT_S = 10.0
SHUTDOWN_TIMEOUT_S = 60.0
QUIET = "quiet"  # no engine executes a run any more
NOT_QUIET = "not quiet"  # one may, until it is killed
REPORT_CONSUMERS = ("relay",)  # needed until the last report of an engine


def stop(layout: Layout) -> bool:
    """Stop everything, in an order in which no process restarts a stopped one.

    Returns:
        False when nothing was running.
    """
    supervisor = Supervisor(layout.supervisor_socket)
    if not supervisor.answers:
        return _end_start(layout) | (end_all(layout.data) > 0)
    with suppress(GoneError):  # another process stops it, too
        _stop_in_order(layout, supervisor)
    end_all(layout.data)
    return True


def _end_start(layout: Layout) -> bool:
    """End a `make run` that has not come to its supervisor yet; False when there is none."""
    pid = sole_run.running(layout)
    if pid is None or pid == os.getpid():
        return False
    with suppress(psutil.NoSuchProcess), step("make run, which is starting"):
        end([psutil.Process(pid)], SHUTDOWN_TIMEOUT_S)
    return True


def _stop_in_order(layout: Layout, supervisor: Supervisor) -> None:
    names = {state["name"] for state in supervisor.states()}
    began = time.monotonic()
    with _marking_engines(layout) as mark_stopped:
        with step("Web, worker, feeds and queries"):
            first = names.difference(BROKERS, REPORT_CONSUMERS)
            supervisor.begin_stop(*first)  # a worker that still took tasks could start an engine
            ending = terminate_engines(layout)
            supervisor.stop(*first)
            ending += [each for each in terminate_engines(layout) if each not in ending]
            quiet = _wait_until(
                lambda: all(_is_quiet(layout, each) for each in ending), began + QUERIES_TIMEOUT_S
            )
        with step("Relay and brokers"):
            # The relay reads the remaining reports after the next start. It stops before Kafka: its consumers
            # leave their groups, and would wait for a stopped broker until they are killed.
            last = names.intersection(REPORT_CONSUMERS)
            supervisor.begin_stop(*last)
            mark_stopped(quiet)  # uses the brokers, so it precedes their stop
            supervisor.stop(*last)
            supervisor.stop(*names.intersection(BROKERS))
            process = supervisor.process()
            supervisor.shut_down()
            psutil.wait_procs([process], timeout=SHUTDOWN_TIMEOUT_S)
    with step("Engines"):
        end(engines(layout.data), max(1.0, began + ENGINE_TIMEOUT_S - time.monotonic()))


def variables_of(layout: Layout) -> dict[str, str]:
    """The environment that reaches the running system's brokers and database, also from a shell whose ports
    are others than those of the shell that started it.
    """
    return os.environ | environment(layout) | saved(layout.data)


@contextmanager
def _marking_engines(layout: Layout) -> Iterator[Callable[[bool], None]]:
    """Start `mark_engines_stopped`; yields the function that lets it record the stop, and waits for it. Its
    argument: whether no engine executes a run any more.
    """
    command = [sys.executable, "-m", "weir.embedded.mark_engines_stopped"]
    with subprocess.Popen(
        command, cwd=layout.repository, env=variables_of(layout), stdin=subprocess.PIPE
    ) as process:

        def mark_stopped(quiet: bool) -> None:
            try:
                process.communicate((QUIET if quiet else NOT_QUIET).encode(), MARK_TIMEOUT_S)
            except subprocess.TimeoutExpired:  # Kafka or the database is away
                process.kill()

        try:
            yield mark_stopped
        except BaseException:
            process.kill()
            raise


def terminate_engines(layout: Layout) -> list[psutil.Process]:
    """Send SIGTERM to every engine; returns them.

    The engine's Python process gets it, too, as from the platform: the JVM passes it on by a shutdown hook,
    which takes seconds to begin on a busy machine.
    """
    found = engines(layout.data)
    for process in found:
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            _terminate_group(process)
    return found


def _terminate_group(process: psutil.Process) -> None:
    if os.getpgid(process.pid) == process.pid:
        os.killpg(process.pid, signal.SIGTERM)
    else:  # not started by the platform, so its group has others
        process.terminate()


def _is_quiet(layout: Layout, engine: psutil.Process) -> bool:
    """True when an engine has stopped its queries and sent its last report, or is gone."""
    try:
        engine_id = Path(engine.cmdline()[-1]).stem  # the settings file is its only argument
        ended = engine.status() == psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, IndexError):
        return True
    return ended or quiet_file(layout.data, engine_id).exists()


def _wait_until(condition: Callable[[], bool], until: float) -> bool:
    """Whether the condition holds, as soon as it does or at this time of the monotonic clock."""
    while not (holds := condition()) and time.monotonic() < until:
        time.sleep(0.1)
    return holds


def main() -> None:
    """The command line."""
    if not stop(read_layout()):
        print("Nothing is running.")


if __name__ == "__main__":
    main()
