"""What was noted by a clock that was set back since."""

import time
from typing import Final

_APART_US: Final = 5_000_000  # that clocks of hosts may be


def latest_us() -> int:
    """The latest instant that any host's clock may show now, µs. What was noted later is from before a clock
    was set back, and nothing that comes now would be newer for as long.
    """
    return time.time_ns() // 1_000 + _APART_US
