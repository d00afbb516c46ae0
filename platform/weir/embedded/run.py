"""What `make run` becomes after set-up: starts everything, says when it is ready, and ends it on Ctrl-C."""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from weir.embedded.layout import PORT_SETTINGS, Layout, read_layout
from weir.embedded.leftovers import end_all
from weir.embedded.migrations_stamp import is_migrated
from weir.embedded.programs import BROKERS, SERVICES, Program, embeds_kafka, embeds_valkey, environment, kafka_node, programs, valkey_node
from weir.embedded.steps import step
from weir.embedded.stop import stop
from weir.embedded.supervision import GoneError, Supervisor, launch
from weir.embedded.waiting import NotReadyError, is_free, is_healthy, listens, wait_for

START_SECONDS = 90
ENGINE_SECONDS = 180


class AskedToEndError(Exception):
    """Ctrl-C or SIGTERM."""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Start Weir on this machine")
    parser.add_argument("--development", action="store_true", help="start processes anew when their source changes")
    parser.add_argument("--no-demo", action="store_true", help="no demo workspace and no feeds")
    options = parser.parse_args()
    layout = read_layout()
    if Supervisor(layout.supervisor_socket).answers:
        sys.exit(f"Weir already runs at {layout.web_address}; make status shows it, make stop ends it.")
    clear(layout)
    with _signals_as_errors():
        try:
            serve(layout, options.development, demo=not options.no_demo)
        except AskedToEndError:
            print("\nEnding", flush=True)
        except GoneError:
            print("\nEnded from elsewhere", flush=True)
        except NotReadyError as error:
            print(
                f"\n{error}. The end of its log ({layout.logs / error.program}.log):\n{last_lines(layout, error.program)}", file=sys.stderr
            )
            sys.exit(1)
        finally:
            _ignore_signals()
            stop(layout)


def clear(layout: Layout) -> None:
    """End what a killed supervisor left behind, and see that the ports are free; exits with 1 when one is not."""
    layout.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    left = end_all(layout.data)
    if left:
        print(f"  ended {left} processes that an earlier run had left behind")
    taken = {name: port for name, port in layout.ports.items() if _wanted(name) and not is_free(port)}
    for name, port in taken.items():
        setting = PORT_SETTINGS[name]
        print(f"Port {port} ({name}) is in use. Give it another: {setting}={port + 1000} make run", file=sys.stderr)
    if taken:
        sys.exit(1)


def serve(layout: Layout, development: bool, demo: bool) -> None:
    """Start all, print the address, and stay until the supervisor ends.

    Raises:
        NotReadyError: a process does not come up.
        AskedToEndError: by a signal.
    """
    if embeds_kafka() and not kafka_node(layout).formatted:
        with step("Kafka's storage"):
            kafka_node(layout).prepare()
    elif embeds_kafka():
        kafka_node(layout).prepare()
    if embeds_valkey():
        valkey_node(layout).prepare()
    found, variables = programs(layout, development), environment(layout)
    write_environment(layout, variables)
    running = launch(layout, found, variables)
    supervisor = Supervisor(layout.supervisor_socket)
    wait_for("supervisord", lambda: supervisor.answers, lambda: running.poll() is not None, START_SECONDS)
    _start_brokers(layout, supervisor, found)
    _start_services(supervisor, variables)
    link = _seed(layout, supervisor, found, variables) if demo else ""
    print(f"\nWeir is ready: {layout.web_address}{link}", flush=True)
    if demo:
        print("The link signs you in once. Ctrl-C or make stop ends everything; make status shows it.", flush=True)
    running.wait()


def write_environment(layout: Layout, variables: dict[str, str]) -> None:
    """Write down what manage.py needs to speak to this system; 0600, for it holds Valkey's password."""
    path = layout.data / "environment"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in variables.items())


def last_lines(layout: Layout, program: str, count: int = 20) -> str:
    """The last lines of a program's log; empty when there is none."""
    path = layout.logs / f"{program}.log"
    return "\n".join(path.read_text(errors="replace").splitlines()[-count:]) if path.exists() else ""


def _start_brokers(layout: Layout, supervisor: Supervisor, found: list[Program]) -> None:
    brokers = [program for program in found if program.name in BROKERS]
    for program in brokers:
        supervisor.start(program.name)
    if not is_migrated(layout):
        with step("Database"):
            subprocess.run(
                [sys.executable, "-m", "weir.embedded.database"], cwd=layout.repository, env=os.environ | environment(layout), check=True
            )
    if brokers:
        with step(" and ".join(program.name.capitalize() for program in brokers)):
            for program in brokers:
                _await(supervisor, program.name, program.port)


def _start_services(supervisor: Supervisor, variables: dict[str, str]) -> None:
    with step("Web, worker, beat and relay"):
        for name in SERVICES:
            supervisor.start(name)
        port = int(variables["WEIR_WEB_PORT"])
        wait_for("web", lambda: is_healthy(port), lambda: supervisor.gave_up("web"), START_SECONDS)
        for name in SERVICES:
            wait_for(name, lambda name=name: supervisor.runs(name), lambda name=name: supervisor.gave_up(name), START_SECONDS)  # type: ignore[misc]  # mypy cannot type a default in a lambda


def _seed(layout: Layout, supervisor: Supervisor, found: list[Program], variables: dict[str, str]) -> str:
    """Run `weir.embedded.demo`, which says in lines how far it is; the last holds the sign-in link's path."""
    command = [sys.executable, "-m", "weir.embedded.demo", str(ENGINE_SECONDS)]
    with subprocess.Popen(command, cwd=layout.repository, env=os.environ | variables, stdout=subprocess.PIPE, text=True) as process:
        lines = iter(process.stdout or ())
        with step("Demo workspace"):
            _expect(supervisor, lines, "seeded")
        for program in found:
            if program.name.startswith("feed-"):
                supervisor.start(program.name)
        with step("Engine and jobs"):
            _expect(supervisor, lines, "running")
        return _expect(supervisor, lines, "link")


def _expect(supervisor: Supervisor, lines: Iterator[str], word: str) -> str:
    said, _, rest = next(lines, "").strip().partition(" ")
    if said != word:
        if not supervisor.answers:
            raise GoneError
        raise NotReadyError("demo", f"could not be set up: {rest or 'see above'}")
    return rest


def _await(supervisor: Supervisor, name: str, port: int | None) -> None:
    wait_for(name, lambda: supervisor.runs(name) and (port is None or listens(port)), lambda: supervisor.gave_up(name), START_SECONDS)


def _wanted(name: str) -> bool:
    if name.startswith("kafka"):
        return embeds_kafka()
    return name != "valkey" or embeds_valkey()


@contextmanager
def _signals_as_errors() -> Iterator[None]:
    def asked(_number: int, _frame: FrameType | None) -> None:
        _ignore_signals()
        raise AskedToEndError

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, asked)
    yield


def _ignore_signals() -> None:
    # The end is under way; a second Ctrl-C must not leave half of it running.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
