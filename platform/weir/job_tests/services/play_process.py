"""The process that plays tests on this host: bounded in time and memory, and without our secrets."""

import os
import subprocess
import sys
from typing import Final

from django.conf import settings

from jobs.job_tests.playable import TEST_SECONDS
from jobs.kafka_messages import ProcessHandle
from weir.job_tests.services.spool import Spool
from weir.runs.services import processes

_STARTED: Final[list[subprocess.Popen[bytes]]] = []  # held until they end: Python warns of one it forgets
_STARTING_S: Final = 60.0
MOST_S: Final = 900.0
_INHERITED: Final = ("HOME", "JAVA_HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "USER")


def seconds_for(tests: int) -> float:
    """How long the process may live."""
    return min(MOST_S, _STARTING_S + tests * TEST_SECONDS)


def start(spool: Spool, seconds: float) -> ProcessHandle:
    """Start it in a session of its own, so that it outlives the worker and can be ended with its JVM."""
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment |= {"PYTHONPATH": str(settings.BASE_DIR), "WEIR_JARS_DIR": str(settings.JARS_DIR)}
    _STARTED[:] = [process for process in _STARTED if process.poll() is None]
    spool.log.touch(mode=0o600)
    with spool.log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "jobs.engine.play_files", str(spool.plays.path), f"{seconds:g}"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=settings.BASE_DIR,
            env=environment,
        )
    _STARTED.append(process)
    return processes.handle_of(process.pid)


def lives(handle: ProcessHandle) -> bool:
    """True while it runs."""
    return processes.is_alive(handle)


def kill(handle: ProcessHandle) -> None:
    """End it with all that it started; one that is gone is no error."""
    processes.end(handle, kill=True)
