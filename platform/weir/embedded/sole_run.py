"""One `make run` at a time has the data folder."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from weir.embedded.layout import Layout
from weir.embedded.saved_environment import saved
from weir.embedded.supervisor import Supervisor

FILE = "run.lock"
END_TIMEOUT_S = 30.0  # of another run that is ending


class AnotherRunError(SystemExit):
    """Another `make run` has the data folder; ends a command with its message."""


@contextmanager
def sole_run(layout: Layout) -> Iterator[None]:
    """Hold the data folder against another `make run`, which would end this one's processes as left over. The
    system takes the hold away when this process ends, however it ends.

    Raises:
        AnotherRunError: a system runs there, or another `make run` starts or stops one and does not end.
    """
    until = time.monotonic() + END_TIMEOUT_S
    with (layout.data / FILE).open("a+") as file:
        while True:
            if Supervisor(layout.supervisor_socket).answers:
                port = saved(layout.data).get("WEIR_WEB_PORT", layout.web_port)
                raise AnotherRunError(
                    f"Weir is already running at http://127.0.0.1:{port}. "
                    "make status shows it, make stop stops it."
                )
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise AnotherRunError(
                        f"Another make run is starting or stopping Weir in {layout.data}. Wait until it ends."
                    ) from None
            time.sleep(0.2)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def running(layout: Layout) -> int | None:
    """The process id of the `make run` that has the data folder; None when there is none."""
    try:
        with (layout.data / FILE).open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(file.read() or 0) or None  # nothing yet: it has just begun
    except OSError:
        pass
    return None
