"""Runs the commands of an installation, several at a time.

When one fails or the installation is interrupted, the others are stopped together with their child processes.
Standard library only.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from weir.embedded.layout import REPOSITORY

MAX_SHOWN_CHARS = 4_000
END_TIMEOUT_S = 5.0


class CommandError(Exception):
    """A command failed; the message holds the end of its output."""


class Commands:
    """Runs each command in its own process group, so that its child processes can be stopped with it."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._is_ending = False

    def run(
        self, command: list[str], folder: Path = REPOSITORY, variables: dict[str, str] | None = None
    ) -> str:
        """Run a command and return its output, stdout and stderr combined.

        Args:
            command: the program and its arguments.
            folder: the working directory.
            variables: added to the environment.

        Raises:
            CommandError: the exit code is not 0.
        """
        with self._lock:
            if self._is_ending:
                raise CommandError(f"{command[0]} couldn't be started")
            process = subprocess.Popen(
                command, cwd=folder, env=os.environ | (variables or {}), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                start_new_session=True,
            )  # fmt: skip
            self._running.add(process)
        try:
            output, _ = process.communicate()
        finally:
            self._running.discard(process)
        if process.returncode != 0:
            raise CommandError(
                f"{' '.join(command)} exited with {process.returncode}:\n{output[-MAX_SHOWN_CHARS:]}"
            )
        return output

    def end_all(self) -> None:
        """Stop all running commands, and refuse new ones."""
        with self._lock:
            self._is_ending = True
            running = list(self._running)
        for process in running:
            _signal(process, signal.SIGTERM)
        for process in running:
            try:
                process.wait(END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                _signal(process, signal.SIGKILL)


def side_by_side(commands: Commands, lanes: Iterable[Callable[[], None]]) -> None:
    """Run the lanes in parallel, each on a thread; the first error is raised once the others have ended.

    Args:
        commands: used by the lanes for all commands; stopped when a lane fails.
        lanes: independent of each other.

    Raises:
        Exception: the first failed lane's.
        KeyboardInterrupt: Ctrl-C or SIGTERM.
    """
    with ThreadPoolExecutor(thread_name_prefix="lane") as pool:
        futures = [pool.submit(lane) for lane in lanes]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            first = next(
                (future for future in futures if future in done and future.exception() is not None), None
            )
        except BaseException:
            commands.end_all()
            raise
        if first is None:
            return
        commands.end_all()
    first.result()


def _signal(process: "subprocess.Popen[str]", number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
