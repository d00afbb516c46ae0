"""When what did not arrive at a receiver is sent again, and when no more."""

from datetime import timedelta
from typing import Final

GIVE_UP_AFTER: Final = timedelta(hours=24)
_BACKOFF_S: Final = (10, 30, 60, 120, 300, 600, 1_800)


def wait_seconds(attempts: int) -> int:
    """The pause after so many failed attempts, at least one."""
    return _BACKOFF_S[min(attempts, len(_BACKOFF_S)) - 1]
