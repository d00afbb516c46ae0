"""Installs packages, jars, Java classes and the frontend, and migrates the databases.

Finished parts are skipped. Independent parts run in parallel. Runs on the system's Python: standard library
only.
"""

import argparse
import hashlib
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial

from weir.embedded.commands import CommandError, Commands, side_by_side
from weir.embedded.jars import JarError, complete, install_jars
from weir.embedded.java_classes import compile_classes, outdated
from weir.embedded.layout import REPOSITORY, Layout, make_data_folder, read_layout
from weir.embedded.migrations_stamp import is_migrated
from weir.embedded.progress_output import step
from weir.embedded.python_packages import install_packages

FRONTEND = REPOSITORY / "frontend"
BUILT = FRONTEND / "dist" / ".built"  # written when all else is: a build may end in the middle


def java_packages(commands: Commands | None = None) -> None:
    """Install the jars and compile Weir's Java classes against them; needs PySpark, which includes Ivy."""
    commands = commands or Commands()
    if not complete():
        with step("JVM packages"):
            install_jars(commands=commands)
    if outdated():
        with step("Java classes"):
            compile_classes(commands)


def migrate_databases(layout: Layout, commands: Commands) -> None:
    """Migrate the databases, unless the system is running: then its next start does it."""
    if is_migrated(layout) or layout.supervisor_socket.exists():
        return
    make_data_folder(layout)
    with step("Database"):
        commands.run([str(layout.python), "-m", "weir.embedded.migrate"])


def frontend(commands: Commands | None = None) -> None:
    """Build the frontend when a source is newer than the last build."""
    if not (FRONTEND / "package.json").exists() or _built() >= _newest_source():
        return
    commands = commands or Commands()
    frontend_packages(commands)
    begun = time.time()
    with step("Frontend"):  # without type checks, which make check does
        commands.run(["npm", "exec", "--", "vite", "build", "--logLevel", "error"], FRONTEND)
    BUILT.touch()
    # As old as the reading of its sources: one that changed meanwhile is newer.
    os.utime(BUILT, (begun, begun))


def frontend_packages(commands: Commands) -> None:
    """Install the locked npm packages, unless this lock file was installed last."""
    lock = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes()).hexdigest()
    stamp = FRONTEND / "node_modules" / ".weir-installed"
    if stamp.exists() and stamp.read_text() == lock:
        return
    with step("Frontend packages"):
        commands.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], FRONTEND)
    stamp.write_text(lock)


def _built() -> float:
    return BUILT.stat().st_mtime if BUILT.exists() else 0.0


def _newest_source() -> float:
    files = [
        path for folder in ("src", "public") for path in (FRONTEND / folder).rglob("*") if path.is_file()
    ]
    files += [path for path in FRONTEND.iterdir() if path.is_file()]
    return max(path.stat().st_mtime for path in files)


def install(development: bool, to_run: bool = False) -> None:
    """Install and build everything that is missing or outdated.

    Args:
        development: also install what checks and tests need.
        to_run: also migrate the databases of the embedded system.

    Raises:
        CommandError: a command failed.
        JarError: a jar could not be resolved, or has a wrong checksum.
        RuntimeError: Weir's Java classes do not compile.
        KeyboardInterrupt: Ctrl-C or SIGTERM; all commands were stopped.
    """
    layout, commands = read_layout(), Commands()

    def back_end() -> None:
        install_packages(layout, "requirements.txt", commands)
        if development:
            install_packages(layout, "requirements-dev.txt", commands)
        after_python: list[Callable[[], None]] = [partial(java_packages, commands)]
        if to_run:
            after_python.append(partial(migrate_databases, layout, commands))
        side_by_side(commands, after_python)

    def front_end() -> None:
        if development:
            frontend_packages(commands)
        frontend(commands)

    side_by_side(commands, (back_end, front_end))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Install and build what Weir needs")
    parser.add_argument("--development", action="store_true", help="also what checks and tests need")
    parser.add_argument("--to-run", action="store_true", help="also migrate the databases of make run")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        install(options.development, options.to_run)
    except (CommandError, JarError, RuntimeError) as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; make run continues from here.")


if __name__ == "__main__":
    main()
