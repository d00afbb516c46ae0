"""How many lines a run may send: many at once, then a few a second."""

from typing import Final

BURST: Final = 300
PER_SECOND: Final = 5.0


class LineBudget:
    """A token bucket. Times are seconds of a monotonic clock.

    Attributes:
        left_out: lines that were refused since the last call of `take_left_out`.
        used_at: when a line was last asked for.
    """

    def __init__(self, now: float) -> None:
        self.left_out = 0
        self.used_at = now
        self._tokens = float(BURST)
        self._filled_at = now

    def admit(self, now: float) -> bool:
        """Whether one more line may be sent; it is counted as left out when not."""
        self.used_at = now
        if self._take(now):
            return True
        self.left_out += 1
        return False

    def take_left_out(self, now: float) -> int:
        """The number of lines that were left out, once it may be said: saying it is a line, too."""
        if not self.left_out or not self._take(now):
            return 0
        count, self.left_out = self.left_out, 0
        return count

    def forgettable(self, now: float) -> bool:
        """True when a new budget would be no different."""
        return not self.left_out and now - self.used_at > BURST / PER_SECOND

    def _take(self, now: float) -> bool:
        self._tokens = min(float(BURST), self._tokens + (now - self._filled_at) * PER_SECOND)
        self._filled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
