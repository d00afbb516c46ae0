"""Local processes, found again after any restart of the platform: by pid, start time
and boot, or by their label.
"""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

import psutil

from jobs.kafka_messages import ProcessHandle

ENGINE_LABEL: Final = "WEIR_ENGINE"
_MEMORY_EVENTS: Final = Path("/proc/vmstat")
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def label_of(data_dir: Path, engine_id: str, incarnation: str = "") -> str:
    """The label in the environment of an engine's process; without an incarnation, the prefix of
    all labels of the engine.
    """
    return f"{data_dir}|{engine_id}|{incarnation}"


def spawn(settings_file: Path, label: str, log: Path) -> ProcessHandle:
    """Start an engine in its own session, so that it outlives the worker; the handle of its process.

    Args:
        settings_file: its `EngineSettings`, mode 0600; the path is its only argument.
        label: put into its environment, so that the process is found even if its handle could not be saved.
        log: gets its output, appended.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "jobs.engine.submit", str(settings_file)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, ENGINE_LABEL: label},
        )
    return handle_of(process.pid)


def handle_of(pid: int) -> ProcessHandle:
    """The handle of a process that is there now.

    Raises:
        psutil.NoSuchProcess: there is none.
    """
    return ProcessHandle(
        host=socket.gethostname(), pid=pid, started_ticks=_started_ticks(pid), boot_id=_boot_id()
    )


def is_alive(handle: ProcessHandle) -> bool:
    """True while exactly this process runs: same host, same boot, same pid, same start time."""
    if (handle.host, handle.boot_id) != (socket.gethostname(), _boot_id()):
        return False
    try:
        return _started_ticks(handle.pid) == handle.started_ticks and not _is_zombie(handle.pid)
    except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
        return False


def find(label: str) -> tuple[ProcessHandle, str] | None:
    """The process whose label starts with this and that leads its session, with its
    incarnation; None if there is none.
    """
    for process in psutil.process_iter():
        try:
            carried = process.environ().get(ENGINE_LABEL, "")
            if (
                carried.startswith(label)
                and os.getpgid(process.pid) == process.pid
                and not _is_zombie(process.pid)
            ):
                return handle_of(process.pid), carried.rpartition("|")[2]
        except (psutil.Error, OSError):  # ended meanwhile, or of another user
            continue
    return None


def end(handle: ProcessHandle, *, kill: bool = False) -> None:
    """Send SIGTERM (or SIGKILL) to the process and all that it started; one that is gone is no error."""
    if not is_alive(handle):
        return
    try:
        os.killpg(handle.pid, signal.SIGKILL if kill else signal.SIGTERM)
    except ProcessLookupError:
        return


def memory_kills() -> int:
    """How many processes this host's kernel has ended for want of memory; 0 where it does not say."""
    try:
        lines = _MEMORY_EVENTS.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def _is_zombie(pid: int) -> bool:
    """True for an ended process that its parent has not collected; if that parent is us, collect it."""
    if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        return False
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return True
    return True


def _started_ticks(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat")
    if not stat.parent.parent.joinpath("self").exists():
        return int(psutil.Process(pid).create_time() * 100)
    # The command's name may hold blanks and brackets; the fields after its last bracket do not.
    return int(stat.read_text().rpartition(")")[2].split()[19])


def _boot_id() -> str:
    return _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else str(int(psutil.boot_time()))
