"""When what did not arrive at a receiver is sent again, and when no more."""

from datetime import timedelta
from typing import Final

GIVE_UP_AFTER: Final = timedelta(hours=24)
_BACKOFF_S: Final = (10, 30, 60, 120, 300, 600, 1_800)
_LONGEST_ASKED_S: Final = 3_600  # a receiver that asks for more is asked again after an hour


def wait_seconds(attempts: int, retry_after_s: int | None = None) -> int:
    """The pause before the next attempt, in seconds.

    Args:
        attempts: how many have failed, at least one.
        retry_after_s: for how many seconds the receiver asked; None: it did not.
    """
    own = _BACKOFF_S[min(attempts, len(_BACKOFF_S)) - 1]
    return max(own, min(retry_after_s or 0, _LONGEST_ASKED_S))
