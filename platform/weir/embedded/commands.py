"""Commands of the set-up, several at the same time: when one fails or the set-up is interrupted, the others end with all they started.

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
    """Runs commands in process groups of their own, so that nothing of them is left behind."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._is_ending = False

    def run(self, command: list[str], folder: Path = REPOSITORY, variables: dict[str, str] | None = None) -> str:
        """Run a command to its end; its output, both streams in one.

        Args:
            command: the program and its arguments.
            folder: where it runs.
            variables: environment beside ours.

        Raises:
            CommandError: it did not exit with 0.
        """
        with self._lock:
            if self._is_ending:
                raise CommandError(f"{command[0]} couldn't be started")
            process = subprocess.Popen(
                command, cwd=folder, env=os.environ | (variables or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
            )  # fmt: skip
            self._running.add(process)
        try:
            output, _ = process.communicate()
        finally:
            self._running.discard(process)
        if process.returncode != 0:
            raise CommandError(f"{' '.join(command)} exited with {process.returncode}:\n{output[-MAX_SHOWN_CHARS:]}")
        return output

    def end_all(self) -> None:
        """End whatever runs, and start nothing any more."""
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
    """Run these at the same time, each on a thread; what one of them raises first is raised after the others have ended.

    Args:
        commands: through which the lanes start everything that takes long.
        lanes: must not depend on each other.

    Raises:
        Exception: of the lane that failed first.
        KeyboardInterrupt: Ctrl-C or SIGTERM.
    """
    with ThreadPoolExecutor(thread_name_prefix="lane") as pool:
        futures = [pool.submit(lane) for lane in lanes]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            first = next((future for future in futures if future in done and future.exception() is not None), None)
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
