"""What comes due again and again."""

import time


class Timer:
    """Comes due once per span."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._next = 0.0

    def due(self) -> bool:
        """True once per span."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._span_s
        return True
