"""Set-up that runs on the system's Python: packages, jars, classes, frontend. What is already done is skipped.

What does not depend on each other runs at the same time. Standard library only.
"""

import argparse
import hashlib
import signal
import sys
from collections.abc import Callable
from functools import partial

from weir.embedded.commands import CommandError, Commands, side_by_side
from weir.embedded.jars import JarError, complete, install
from weir.embedded.java_classes import compile_classes, outdated
from weir.embedded.layout import REPOSITORY, Layout, read_layout
from weir.embedded.migrations_stamp import is_migrated
from weir.embedded.python_packages import install_packages
from weir.embedded.steps import step

FRONTEND = REPOSITORY / "frontend"


def java_packages(commands: Commands | None = None) -> None:
    """Jars, and our own classes, which are written against them; PySpark, which carries Ivy, must be installed."""
    found = commands or Commands()
    if not complete():
        with step("JVM packages"):
            install(commands=found)
    if outdated():
        with step("Java classes"):
            compile_classes(found)


def database(layout: Layout, commands: Commands) -> None:
    """Bring the databases up to date before anything runs on them; where something runs already, the start does it."""
    if is_migrated(layout) or layout.supervisor_socket.exists():
        return
    layout.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with step("Database"):
        commands.run([str(layout.python), "-m", "weir.embedded.database"])


def frontend(commands: Commands | None = None) -> None:
    """Build the frontend when a source is newer than what was built."""
    if not (FRONTEND / "package.json").exists() or _built() >= _newest_source():
        return
    found = commands or Commands()
    frontend_packages(found)
    with step("Frontend"):
        found.run(["npm", "exec", "--", "vite", "build", "--logLevel", "error"], FRONTEND)  # types are checked by make check


def frontend_packages(commands: Commands) -> None:
    """Install the locked npm packages, unless that lock file is what was installed last."""
    lock = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes()).hexdigest()
    stamp = FRONTEND / "node_modules" / ".weir-installed"
    if stamp.exists() and stamp.read_text() == lock:
        return
    with step("Frontend packages"):
        commands.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], FRONTEND)
    stamp.write_text(lock)


def _built() -> float:
    index = FRONTEND / "dist" / "index.html"
    return index.stat().st_mtime if index.exists() else 0.0


def _newest_source() -> float:
    files = [path for folder in ("src", "public") for path in (FRONTEND / folder).rglob("*") if path.is_file()]
    files += [path for path in FRONTEND.iterdir() if path.is_file()]
    return max(path.stat().st_mtime for path in files)


def set_up(development: bool, to_run: bool = False) -> None:
    """Bring everything up to date.

    Args:
        development: what checks and tests need, too.
        to_run: the databases of this machine's system, too.

    Raises:
        CommandError: a command failed.
        JarError: a jar could not be had, or is not what it should be.
        RuntimeError: our Java classes do not compile.
        KeyboardInterrupt: Ctrl-C or SIGTERM; nothing runs on.
    """
    layout, commands = read_layout(), Commands()

    def back_end() -> None:
        install_packages(layout, "requirements.txt", commands)
        if development:
            install_packages(layout, "requirements-dev.txt", commands)
        after_python: list[Callable[[], None]] = [partial(java_packages, commands)]
        if to_run:
            after_python.append(partial(database, layout, commands))
        side_by_side(commands, after_python)

    def front_end() -> None:
        if development:
            frontend_packages(commands)
        frontend(commands)

    side_by_side(commands, (back_end, front_end))


def main() -> None:
    """The command line; ``--development`` also installs what checks and tests need, ``--to-run`` also migrates the databases."""
    parser = argparse.ArgumentParser(description="Install and build what Weir needs")
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--to-run", action="store_true", help="also migrate the databases of make run")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        set_up(options.development, options.to_run)
    except (CommandError, JarError, RuntimeError) as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; make run continues from here.")


if __name__ == "__main__":
    main()
