"""Finding and ending what an embedded system started, engines too, by a mark that every process inherits.

A mark in the environment survives what records do not: a supervisor that was killed, a process it restarted a moment
before, a pid that now belongs to somebody else.
"""

import time
from pathlib import Path

import psutil

MARK = "WEIR_EMBEDDED"


def mark(data: Path) -> dict[str, str]:
    """The environment variable that marks processes of the system with this data folder."""
    return {MARK: str(data)}


def marked(data: Path) -> list[psutil.Process]:
    """All living processes of the system with this data folder, this one excepted; oldest first."""
    found = []
    own = psutil.Process().pid
    for process in psutil.process_iter():
        try:
            if process.pid != own and process.environ().get(MARK) == str(data) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:  # gone meanwhile, or another person's
            continue
    return sorted(found, key=psutil.Process.create_time)


def engines(data: Path) -> list[psutil.Process]:
    """The Spark drivers among them: the JVMs, each of which ends its Python by itself."""
    return [process for process in marked(data) if _is_engine(process)]


def end(processes: list[psutil.Process], deadline_seconds: float) -> None:
    """SIGTERM to all, SIGKILL to those that are there after the deadline."""
    for process in processes:
        _signal(process, kill=False)
    _, alive = psutil.wait_procs(processes, timeout=deadline_seconds)
    for process in alive:
        _signal(process, kill=True)
    psutil.wait_procs(alive, timeout=10)


def end_all(data: Path, deadline_seconds: float = 15) -> int:
    """End whatever is left of the system; what a dying process still started is ended as well.

    Returns:
        How many processes there were.
    """
    count, until = 0, time.monotonic() + 2 * deadline_seconds
    while (processes := marked(data)) and time.monotonic() < until:
        count += len(processes)
        end(processes, deadline_seconds)
    return count


def _is_engine(process: psutil.Process) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    return any(part == "org.apache.spark.deploy.SparkSubmit" for part in command)


def _signal(process: psutil.Process, kill: bool) -> None:
    try:
        (process.kill if kill else process.terminate)()
    except psutil.NoSuchProcess:
        return
