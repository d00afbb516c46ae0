"""Times in a test: an instant as ISO text, or a duration after the test's start."""

from jobs.base.durations import DurationTextError, parse_duration
from jobs.base.instants import Instant, datetime_of
from jobs.base.iso_times import read_instant


class TimeTextError(ValueError):
    """The text is neither an instant nor a duration; the message says what would be."""


def read_start(text: str) -> Instant:
    """The instant at which a test's clock begins.

    Raises:
        TimeTextError: it is no instant.
    """
    found = read_instant(text)
    if found is None:
        raise TimeTextError(f"{text[:64]!r} is no instant; write it as 2026-01-01T10:00:00Z.")
    return found


def read_time(text: str, start: Instant) -> Instant:
    """An instant of a test.

    Args:
        text: ``2026-01-01T10:00:05Z``, or ``5s`` for five seconds after the start (``-5s``: before it).
        start: of the test.

    Raises:
        TimeTextError: it has another form, or lies outside the years 1 to 9999.
    """
    found = read_instant(text)
    if found is not None:
        return found
    try:
        moved = Instant(start + parse_duration(text).us)
        datetime_of(moved)
    except (DurationTextError, OverflowError) as error:
        raise TimeTextError(
            f"{text[:64]!r} is no time; write an instant such as 2026-01-01T10:00:05Z, or a duration after"
            " the start such as 5s."
        ) from error
    return moved
