"""A running process and its descendants, which may end meanwhile.

A JVM starts programs that run for milliseconds.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import psutil

Answer = TypeVar("Answer")


def answers_of(pid: int, ask: Callable[[psutil.Process], Answer]) -> list[Answer]:
    """What a process and each of its descendants answers; descendants that have ended are left out.

    Raises:
        psutil.NoSuchProcess: the process itself has ended.
    """
    root = psutil.Process(pid)
    answers = [ask(root)]
    for descendant in root.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            answers.append(ask(descendant))
    return answers


@contextmanager
def suspended(pid: int) -> Iterator[None]:
    """Stop a process and its descendants (SIGSTOP) until the block ends."""
    stopped: list[psutil.Process] = []

    def stop(process: psutil.Process) -> None:
        process.suspend()
        stopped.append(process)

    try:
        answers_of(pid, stop)
        yield
    finally:
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.resume()
