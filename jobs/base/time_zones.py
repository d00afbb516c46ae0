"""Names of time zones. An offset such as ``+02:00`` is not one (`docs/semantics/time.md#local-time`)."""

from functools import cache
from zoneinfo import available_timezones


@cache
def _names() -> frozenset[str]:
    """All names of the zone database, cached because listing it takes tens of milliseconds."""
    return frozenset(available_timezones())


def is_zone(name: str) -> bool:
    """True for a name of the zone database, such as ``Europe/Berlin`` or ``UTC``."""
    return name in _names()
