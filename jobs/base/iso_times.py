"""The one text form of instants and days that is read everywhere: ``iso`` of `docs/semantics/time.md#texts`.

``YYYY-MM-DD``, then perhaps ``T`` or a blank and ``HH:MM[:SS[.f]]`` with 1 to 9 digits, then perhaps ``Z`` or
``±HH:MM`` up to 18:00. Control characters and blanks around it are ignored. The patterns use what Python's
and Java's syntax share.
"""

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Final

from jobs.base.instants import Instant, instant_of

ISO_DATE: Final = "(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?"
_OFFSET: Final = "(?:Z|[+-](?:(?:0[0-9]|1[0-7]):[0-5][0-9]|18:00))"
ISO_INSTANT: Final = f"{ISO_DATE}(?:[T ]{_TIME}{_OFFSET}?)?"

_INSTANT: Final = re.compile(ISO_INSTANT)
_DATE: Final = re.compile(ISO_DATE)
_FRACTION: Final = re.compile(r"[.]([0-9]+)")
_AROUND: Final = "".join(map(chr, range(0x21)))


def trimmed(text: str) -> str:
    """Without control characters and blanks at both ends, as casts of text trim it."""
    return text.strip(_AROUND)


def read_instant(text: str, zone: tzinfo = UTC) -> Instant | None:
    """The instant of an ISO text; finer than microseconds is floored.

    Args:
        text: perhaps with blanks around it.
        zone: of texts without an offset; of a local time that occurs twice the earlier, a skipped one shifted
            forward.

    Returns:
        None when it is not of that form, does not exist, or lies outside the years 1 to 9999.
    """
    compact = trimmed(text)
    if not _INSTANT.fullmatch(compact):
        return None
    try:
        moment = datetime.fromisoformat(
            _FRACTION.sub(lambda found: "." + found.group(1)[:6].ljust(6, "0"), compact)
        )
        return in_years(instant_of(moment if moment.tzinfo else moment.replace(tzinfo=zone)))
    except (ValueError, OverflowError):
        return None


def read_date(text: str) -> date | None:
    """The day of ``YYYY-MM-DD``; None when it is not of that form or does not exist."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


_FIRST: Final = instant_of(datetime(1, 1, 1, tzinfo=UTC))
_LAST: Final = instant_of(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))


def in_years(instant: Instant) -> Instant | None:
    """The instant itself when it lies in the years 1 to 9999, else None."""
    return instant if _FIRST <= instant <= _LAST else None
