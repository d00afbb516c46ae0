"""Work that is due again after some time, also when the clock of the host was set back meanwhile."""

from datetime import datetime, timedelta


def is_due(last: datetime | None, now: datetime, every: timedelta) -> bool:
    """Whether it is due.

    Args:
        last: when it was done; None: never.
        now: the present. Before `last`: the clock was set back, and waiting for it could take hours.
        every: how long it waits.
    """
    return last is None or not timedelta(0) <= now - last < every
