"""`make run`, after the installation: starts everything, prints the address, and stops it all on Ctrl-C."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from jobs.base.log_lines import readable
from weir.embedded.layout import PORT_SETTINGS, Layout, read_layout
from weir.embedded.orphan_processes import end_all
from weir.embedded.programs import embeds_kafka, embeds_valkey
from weir.embedded.readiness import NotReadyError, is_free
from weir.embedded.standby_choice import standby_choice
from weir.embedded.startup import start
from weir.embedded.stop import stop
from weir.embedded.supervisor import GoneError, Supervisor


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
    if Supervisor(layout.supervisor_socket).answers:
        sys.exit(
            f"Weir is already running at {layout.web_address}. make status shows it, make stop stops it."
        )
    clear(layout)
    with _signals_as_errors():
        try:
            standby = standby_choice()
            supervisor, link = start(layout, options.development, demo=not options.no_demo)
            print(f"\nWeir is ready: {layout.web_address}{link}", flush=True)
            print(f"Standby engine: {'on' if standby.keeps else 'off'} ({standby.reason}).", flush=True)
            once = "The link signs you in once. " if link else ""
            print(f"{once}Ctrl-C or make stop stops everything; make status shows it.", flush=True)
            supervisor.wait()
        except ShutdownRequested:
            print("\nEnding", flush=True)
        except GoneError:
            print("\nStopped from outside", flush=True)
        except NotReadyError as error:
            print(f"\n{error}. Last lines of its log ({layout.logs / error.program}.log):", file=sys.stderr)
            print(last_lines(layout, error.program), file=sys.stderr)
            sys.exit(1)
        finally:
            _ignore_signals()
            stop(layout)


def clear(layout: Layout) -> None:
    """End processes that a killed supervisor left behind; exit with 1 when a port is in use."""
    layout.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    left = end_all(layout.data)
    if left:
        print(f"  stopped {left} processes left over from an earlier run")
    taken = {name: port for name, port in layout.ports.items() if _is_embedded(name) and not is_free(port)}
    for name, port in taken.items():
        setting = PORT_SETTINGS[name]
        print(
            f"Port {port} ({name}) is in use. Use another one: {setting}={port + 1000} make run",
            file=sys.stderr,
        )
    if taken:
        sys.exit(1)


def last_lines(layout: Layout, program: str, count: int = 20) -> str:
    """The last lines of a program's log; empty when there is none."""
    path = layout.logs / f"{program}.log"
    if not path.exists():
        return ""
    return "\n".join(map(readable, path.read_text(errors="replace").splitlines()[-count:]))


def _is_embedded(name: str) -> bool:
    if name.startswith("kafka"):
        return embeds_kafka()
    return name != "valkey" or embeds_valkey()


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
