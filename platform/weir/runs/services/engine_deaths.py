"""Why an engine's process ended: by itself, by the host's kernel for want of memory, or by a signal from
outside.

A process that ends by itself says so in its log: a JVM that crashes or is out of heap, a Python interpreter
that crashes, a thread without which the engine ends. One that is killed leaves nothing. Its exit status is
known to its parent alone, which may have been started again meanwhile, so it is not asked.
"""

import re
from collections.abc import Collection
from enum import Enum
from pathlib import Path
from typing import Final

_TAIL_BYTES: Final = 256 * 1024
_BEGINS: Final = "=== process of incarnation "
_TRACES: Final = (
    "A fatal error has been detected by the Java Runtime Environment",
    "Terminating due to java.lang.OutOfMemoryError",
    "Fatal Python error",
    "thread heartbeat crashed",
    "thread watcher crashed",
)
# The JVM's word for the end of the engine's Python; 137: it was killed.
_PYTHON_ENDED: Final = re.compile(r"SparkUserAppException: User application exited with (?!137\b)\d+")


class Death(Enum):
    """How an engine's process ended, with what people are told of it."""

    CRASHED = "Engine crashed"
    NEVER_READY = "Engine ended before it was ready"
    OUT_OF_MEMORY = "The host ran out of memory, and its kernel ended the engine"
    KILLED = "The engine's process was ended from outside"


def note_begin(log: Path, incarnation: str) -> None:
    """Note in an engine's log that a process begins: what stands before is not of its end."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        output.write(f"{_BEGINS}{incarnation} ===\n")


def how_it_ended(log: Path, incarnation: str, *, was_ready: bool, memory_kill: bool) -> Death:
    """How the engine's last process ended.

    Args:
        log: of the engine.
        incarnation: of that process.
        was_ready: it served.
        memory_kill: the host's kernel ended a process for want of memory at that moment.
    """
    said = _last_words(log, incarnation)
    if any(trace in said for trace in _TRACES) or _PYTHON_ENDED.search(said):
        return Death.CRASHED
    if memory_kill:
        return Death.OUT_OF_MEMORY
    return Death.KILLED if was_ready else Death.NEVER_READY


def _last_words(log: Path, incarnation: str) -> str:
    """What this process logged, the last of its log, or the end of that. Without any mark it has logged more
    than is read, or its log was shortened since. The mark of another one means that it logged nothing.
    """
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            _, mark, said = file.read().decode("utf-8", "replace").rpartition(_BEGINS)
    except FileNotFoundError:
        return ""
    return "" if mark and not said.startswith(f"{incarnation} ") else said


def is_suspicious(death: Death, crashes: Collection[int], *, isolates: bool) -> bool:
    """Whether a run may be the cause, so that the runs are tried.

    Args:
        death: how the process ended.
        crashes: those of the last minutes, this one included.
        isolates: the engine had nothing but runs that are tried.
    """
    if death in (Death.KILLED, Death.NEVER_READY):
        return False
    # Memory may be short because of others, and the kernel may take several engines at once.
    needed = 1 if death is Death.CRASHED else 2
    return len(crashes) >= (needed if isolates else needed + 1)
