"""Parts of a section, of which one that fails leaves the others."""

import traceback
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TooLongError(TimeoutError):
    """A section took longer than its limit."""


class Trials:
    """Runs the parts of a section. One that fails is named; after the section's limit none begins."""

    def __init__(self) -> None:
        self._failures: list[str] = []
        self._is_over = self._has_result = False

    def run(self, name: str, part: Callable[[], T]) -> T | None:
        """What a part returns; None: it failed, or the time was over before it.

        Args:
            name: for the report.
            part: measures something.
        """
        if self._is_over:
            return None
        try:
            found = part()
        except Exception as error:  # noqa: BLE001 - whatever a part fails of, the report names it
            traceback.print_exc()
            self._is_over = isinstance(error, TooLongError)
            self._failures.append(f"{name}: {error_line(error)}")
            return None
        self._has_result = True
        return found

    @property
    def failed(self) -> str | None:
        """Which parts failed and why, in a line, as ``failed`` of a section's numbers; None: none did."""
        return "; ".join(self._failures) or None

    def end(self) -> str | None:
        """As `failed`.

        Raises:
            RuntimeError: nothing was measured.
        """
        if self.failed is not None and not self._has_result:
            raise RuntimeError(self.failed)
        return self.failed


def error_line(error: Exception) -> str:
    """An error in a line that the report can hold."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 300 else f"{text[:300]} …"
