"""The text form of instants and dates that all parts of Weir read: ``iso`` of `docs/semantics/time.md#texts`.

``YYYY-MM-DD``, optionally ``T`` or a space and ``HH:MM[:SS[.f]]`` with 1 to 9 digits ``f``, then optionally
``Z`` or ``±HH:MM`` up to 18:00. The patterns use only syntax that Python and Java have in common.
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
    """The text without control characters and spaces at both ends, trimmed as casts of strings do."""
    return text.strip(_AROUND)


def read_instant(text: str, zone: tzinfo = UTC) -> Instant | None:
    """Parse an ISO text; the instant is floored to microseconds.

    Args:
        text: may have control characters and spaces around it.
        zone: for texts without an offset. Of a local time that occurs twice the earlier instant is taken; a
            skipped local time is shifted forward.

    Returns:
        The instant; None when the text has another form, the date or time does not exist, or the instant is
        outside the years 1 to 9999.
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
    """Parse ``YYYY-MM-DD``, which is not trimmed; None when the text has another form or the date does not
    exist.
    """
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


_FIRST: Final = instant_of(datetime(1, 1, 1, tzinfo=UTC))
_LAST: Final = instant_of(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))


def in_years(instant: Instant) -> Instant | None:
    """The instant itself if it is in the years 1 to 9999, else None."""
    return instant if _FIRST <= instant <= _LAST else None
