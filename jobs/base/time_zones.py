"""Time zones: their names, and their rules in Python (`docs/semantics/time.md#local-time`). An offset such as
``+02:00`` is no name of one.
"""

from functools import cache
from importlib import resources
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# Java's database leaves out the first two, and 17.0.15 has none of 2025.
_NOT_IN_JAVA: Final = frozenset({"ROC", "Factory", "America/Coyhaique"})
_PACKAGE: Final = "tzdata"


@cache
def zone_names() -> frozenset[str]:
    """All names that the zone databases of both sides have."""
    listed = resources.files(_PACKAGE).joinpath("zones").read_text(encoding="utf-8")
    return frozenset(listed.split()) - _NOT_IN_JAVA


def is_zone(name: str) -> bool:
    """True for a name of the zone database, such as ``Europe/Berlin`` or ``UTC``."""
    return name in zone_names()


@cache
def zone_named(name: str) -> ZoneInfo:
    """The rules of a zone, from the package tzdata. Zones whose clocks agree since 1970 are one there, as in
    Java; a system's database, which `ZoneInfo` would prefer, may keep what they differed in before.

    Args:
        name: of which `is_zone` is true.

    Raises:
        ZoneInfoNotFoundError: it is no zone.
    """
    if not is_zone(name):
        raise ZoneInfoNotFoundError(f"No time zone found with key {name}")
    with resources.files(_PACKAGE).joinpath("zoneinfo", *name.split("/")).open("rb") as rules:
        return ZoneInfo.from_file(rules, key=name)
