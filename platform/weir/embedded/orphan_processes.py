"""Finds and ends the processes of an embedded system, engines included, by a label that each inherits.

The label is an environment variable. Unlike a recorded pid it still identifies processes after their
supervisor was killed, after a restart, or when a pid was reused.
"""

import time
from pathlib import Path

import psutil

LABEL = "WEIR_EMBEDDED"


def label(data: Path) -> dict[str, str]:
    """The environment variable that labels the processes of the system with this data folder."""
    return {LABEL: str(data)}


def find_processes(data: Path) -> list[psutil.Process]:
    """The running processes of the system with this data folder, except this one; oldest first."""
    found = []
    own = psutil.Process().pid
    for process in psutil.process_iter():
        try:
            if (
                process.pid != own
                and process.environ().get(LABEL) == str(data)
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
        except psutil.Error:  # has ended, or belongs to another user
            continue
    return sorted(found, key=psutil.Process.create_time)


def engines(data: Path) -> list[psutil.Process]:
    """The system's Spark drivers: the JVMs, each of which ends its Python process itself."""
    found = [process for process in find_processes(data) if _is_engine(process)]
    pids = {process.pid for process in found}
    # What a JVM starts looks like it until it runs its own program.
    return [process for process in found if _parent(process) not in pids]


def end(processes: list[psutil.Process], deadline_seconds: float) -> None:
    """Send SIGTERM to all, and SIGKILL to those still running after the deadline."""
    for process in processes:
        _signal(process, kill=False)
    _, alive = psutil.wait_procs(processes, timeout=deadline_seconds)
    for process in alive:
        _signal(process, kill=True)
    psutil.wait_procs(alive, timeout=10)


def end_all(data: Path, deadline_seconds: float = 15) -> int:
    """End all processes of the system, including those that ending processes still start.

    Returns:
        The number of processes ended.
    """
    count, until = 0, time.monotonic() + 2 * deadline_seconds
    while processes := find_processes(data):
        count += len(processes)
        end(processes, deadline_seconds)
        if time.monotonic() > until:
            break
    return count


def _is_engine(process: psutil.Process) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    return any(part == "org.apache.spark.deploy.SparkSubmit" for part in command)


def _parent(process: psutil.Process) -> int | None:
    try:
        return process.ppid()
    except psutil.Error:
        return None


def _signal(process: psutil.Process, kill: bool) -> None:
    try:
        (process.kill if kill else process.terminate)()
    except psutil.NoSuchProcess:
        return
