"""Names of time zones. An offset such as ``+02:00`` is not one (`docs/semantics/time.md#local-time`)."""

from functools import cache
from typing import Final
from zoneinfo import available_timezones

# Java's database leaves out the first two, and 17.0.15 has none of 2025; the third is the machine's own.
_NOT_IN_JAVA: Final = frozenset({"ROC", "Factory", "localtime", "America/Coyhaique"})


@cache
def zone_names() -> frozenset[str]:
    """All names that the zone databases of both sides have, cached because listing them takes tens of
    milliseconds.
    """
    return frozenset(available_timezones()) - _NOT_IN_JAVA


def is_zone(name: str) -> bool:
    """True for a name of the zone database, such as ``Europe/Berlin`` or ``UTC``."""
    return name in zone_names()
