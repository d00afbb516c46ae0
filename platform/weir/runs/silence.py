"""When a run that should be live is silent: one rule for lists, pages and the live hub.

An engine sends a heartbeat every 2 s. What it sent and nobody has read yet is no silence.
"""

from typing import Final

SILENT_AFTER_US: Final = 8_000_000  # four missed heartbeats
DEAF_AFTER_US: Final = 15_000_000


def is_silent(heard_us: int, read_until_us: int | None, now_us: int) -> bool:
    """Whether too little was heard of a live run to claim its state.

    Args:
        heard_us: when the newest report of it was written.
        read_until_us: reports that were written before this instant are read; None: not known.
        now_us: the present.

    Returns:
        True when it sent nothing for 8 s of what was read, or when reports are not read any more (nothing for 15 s) and the newest of
        this run is older than 8 s.
    """
    if read_until_us is None or now_us - read_until_us > DEAF_AFTER_US:
        return now_us - heard_us > SILENT_AFTER_US
    return read_until_us - heard_us > SILENT_AFTER_US
