"""The process that makes the demo workspace, and how far it is (`weir.embedded.demo`)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from weir.embedded.layout import Layout
from weir.embedded.private_files import write_private
from weir.embedded.programs import DEMO
from weir.embedded.readiness import NotReadyError
from weir.embedded.supervisor import GoneError, Supervisor

_POLL_S: Final = 0.05


class DemoProgress:
    """Follows the process, line by line."""

    def __init__(self, supervisor: Supervisor, written: TextIO) -> None:
        self._supervisor, self._written = supervisor, written

    def expect(self, word: str) -> str:
        """Wait for the next line; what it says after its first word.

        Args:
            word: the first word of that line.

        Raises:
            NotReadyError: it has another one, or the process has ended.
            GoneError: the supervisor was stopped.
        """
        first, _, rest = self._next().strip().partition(" ")
        if first != word:
            raise NotReadyError(DEMO, f"setup failed: {rest or 'see below'}")
        return rest

    def _next(self) -> str:
        while True:
            ended = self._supervisor.has_ended(DEMO)  # before: what it wrote at its end is there
            if (line := self._written.readline()) or ended:
                return line
            time.sleep(_POLL_S)


@contextmanager
def running_demo(supervisor: Supervisor, layout: Layout) -> Iterator[DemoProgress]:
    """Run the process, and end it where the block ends first."""
    file = layout.demo_progress
    write_private(file, "")
    try:
        supervisor.start(DEMO)
        with file.open(encoding="utf-8") as written:
            yield DemoProgress(supervisor, written)
    finally:
        file.unlink(missing_ok=True)
        with suppress(GoneError):
            supervisor.stop(DEMO)
