"""A periodic timer."""

import time


class Timer:
    """Is due once per interval."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._next = 0.0

    def due(self) -> bool:
        """True once per interval."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._interval_s
        return True
