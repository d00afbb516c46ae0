"""`make run`, after the installation: starts everything, prints the address, and stops it all on Ctrl-C."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType

from jobs.base.log_text import readable
from weir.embedded.kafka_classes import recording
from weir.embedded.layout import Layout, make_data_folder, read_layout
from weir.embedded.orphan_processes import end_all, label
from weir.embedded.ports import port_problems
from weir.embedded.programs import embeds_kafka, kafka_node
from weir.embedded.readiness import NotReadyError
from weir.embedded.sole_run import sole_run
from weir.embedded.standby_choice import standby_choice
from weir.embedded.startup import start
from weir.embedded.stop import stop
from weir.embedded.supervisor import GoneError


class ShutdownRequested(Exception):  # noqa: N818  # a request, not an error
    """Ctrl-C or SIGTERM."""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Start Weir on this machine")
    parser.add_argument(
        "--development", action="store_true", help="restart processes when their source changes"
    )
    parser.add_argument("--no-demo", action="store_true", help="no demo workspace and no data generators")
    options = parser.parse_args()
    layout = read_layout()
    make_data_folder(layout)
    with sole_run(layout):
        run(layout, options.development, demo=not options.no_demo)


def run(layout: Layout, development: bool, demo: bool) -> None:
    """Start everything, wait until it is stopped, and stop what is left; exits with 1 when it can't start."""
    clear(layout)
    with _signals_as_errors():
        try:
            standby = standby_choice()
            supervisor, link = start(layout, development, demo)
            print(f"\nWeir is ready: {layout.web_address}{link}", flush=True)
            print(f"Standby engine: {'on' if standby.keeps else 'off'} ({standby.reason}).", flush=True)
            once = "The link signs you in once. " if link else ""
            print(f"{once}Ctrl-C or make stop stops everything; make status shows it.", flush=True)
            with recording(kafka_node(layout), label(layout.data)) if embeds_kafka() else nullcontext():
                supervisor.wait()
        except ShutdownRequested:
            print("\nEnding", flush=True)
        except GoneError:
            print("\nStopped from outside", flush=True)
        except NotReadyError as error:
            print(f"\n{error}.", file=sys.stderr)
            print(end_of_log(layout, error.program), file=sys.stderr)
            sys.exit(1)
        finally:
            _ignore_signals()
            stop(layout)


def clear(layout: Layout) -> None:
    """End processes that a killed supervisor left behind; exits with 1 when a port can't be used."""
    left = end_all(layout.data)
    if left:
        print(f"  stopped {left} processes left over from an earlier run")
    if problems := port_problems(layout):
        sys.exit("\n".join(problems))


def end_of_log(layout: Layout, program: str, count: int = 20) -> str:
    """The last lines of what a program said, below the file's name; empty when it has no log."""
    # What supervisord says before it reads its settings is not in its log.
    path = layout.logs / ("supervisord.out" if program == "supervisord" else f"{program}.log")
    if not path.exists():
        return ""
    lines = map(readable, path.read_text(errors="replace").splitlines()[-count:])
    return "\n".join([f"Last lines of {path}:", *lines])


@contextmanager
def _signals_as_errors() -> Iterator[None]:
    def request(_number: int, _frame: FrameType | None) -> None:
        _ignore_signals()
        raise ShutdownRequested

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, request)
    yield


def _ignore_signals() -> None:
    # A second Ctrl-C must not interrupt the shutdown and leave processes behind.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
