"""Work on a thread while a block lasts."""

from threading import Event, Thread
from types import TracebackType
from typing import Self


class Background:
    """Does `run` on a thread from the beginning of a block until its end, which waits for it."""

    def __init__(self) -> None:
        self.stopping = Event()
        self._thread = Thread(target=self.run, daemon=True)

    def run(self) -> None:
        """Work until `stopping` is set."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._thread.join()
