"""The windows that rows fall into (`docs/semantics/windows.md`), in plain Python."""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from jobs.base.instants import MAX_INSTANT, Instant, datetime_of, instant_of
from jobs.base.time_zones import zone_named
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.windows import AnyWindow, WindowSpec

Bounds = tuple[int, int]
"""Start, and end that is not part of it, in µs."""


def windows_of(window: AnyWindow, times: Sequence[int]) -> dict[Bounds, list[int]]:
    """The windows of one group, and the indexes of the rows in each.

    Args:
        window: its kind.
        times: event times of the group's rows in µs, in any order.
    """
    found: dict[Bounds, list[int]] = {}
    match window:
        case WindowSpec():
            for index, at in enumerate(times):
                start = (at - window.offset.us) // window.advance.us * window.advance.us + window.offset.us
                while start + window.size.us > at:
                    found.setdefault((start, start + window.size.us), []).append(index)
                    start -= window.advance.us
        case CalendarSpec():
            for index, at in enumerate(times):
                found.setdefault(calendar_bounds(window, at), []).append(index)
        case SlidingSpec():
            order = sorted(range(len(times)), key=times.__getitem__)
            ordered = [times[index] for index in order]
            for end in sorted({at + 1 for at in times}):
                start = end - window.size.us
                found[start, end] = order[bisect_left(ordered, start) : bisect_left(ordered, end)]
        case SessionSpec():
            found = _sessions(window, times)
    return found


def memberships(window: AnyWindow | None, times: Sequence[int]) -> int:
    """How many rows `windows_of` puts into windows, a row in two of them twice.

    Args:
        window: its kind; None: one for all.
        times: as there.
    """
    match window:
        case WindowSpec():
            return len(times) * -(-window.size.us // window.advance.us)
        case SlidingSpec():
            ordered = sorted(times)
            ends = {at + 1 for at in times}
            return sum(bisect_left(ordered, end) - bisect_left(ordered, end - window.size.us) for end in ends)
        case _:
            return len(times)


def bounds_before(window: AnyWindow, this: Bounds) -> Bounds | None:
    """The window that ends where another begins; None where windows don't follow each other."""
    if isinstance(window, CalendarSpec):
        return calendar_bounds(window, this[0] - 1)
    if isinstance(window, WindowSpec) and window.is_tumbling:
        return this[0] - window.size.us, this[0]
    return None


def _sessions(window: SessionSpec, times: Sequence[int]) -> dict[Bounds, list[int]]:
    found: dict[Bounds, list[int]] = {}
    open_rows: list[int] = []
    for index in sorted(range(len(times)), key=lambda at: times[at]):
        if open_rows and times[index] - times[open_rows[-1]] > window.gap.us:
            found[times[open_rows[0]], times[open_rows[-1]] + window.gap.us] = open_rows
            open_rows = []
        open_rows.append(index)
    if open_rows:
        found[times[open_rows[0]], times[open_rows[-1]] + window.gap.us] = open_rows
    return found


def calendar_bounds(window: CalendarSpec, at_us: int) -> Bounds:
    """The local day, week or month that holds an instant.

    Where a whole local day is skipped the window may be two days back, and `day_start` may move it by one.
    The last window ends with the year 9999.
    """
    first = _first_day(window, _local_day(window, at_us))
    steps = -1
    start = _bound(window, first, steps - 1)
    while (end := _bound(window, first, steps)) <= at_us:
        start, steps = end, steps + 1
    return start, end


def _local_day(window: CalendarSpec, at_us: int) -> date:
    try:
        return datetime_of(at_us).astimezone(zone_named(window.zone)).date()
    except OverflowError:  # the year 10000 has begun there
        return date.max


def _bound(window: CalendarSpec, first: date, steps: int) -> Instant:
    """Where the window begins that is so many after that of a first day."""
    hour, minute = divmod(window.day_start, 60)
    try:
        day = _moved(window, first, steps)
        # Fold 0: of two instants the earlier one, and a skipped local time is moved on by the gap.
        local = datetime.combine(day, time(hour, minute), zone_named(window.zone))
        return instant_of(local.astimezone(UTC))
    except (OverflowError, ValueError):  # after the year 9999
        return MAX_INSTANT


def _first_day(window: CalendarSpec, day: date) -> date:
    match window.unit:
        case "day":
            return day
        case "week":
            return day - timedelta(days=(day.weekday() - window.week_start) % 7)
        case "month":
            return day.replace(day=1)


def _moved(window: CalendarSpec, day: date, steps: int) -> date:
    if window.unit == "month":
        months = day.year * 12 + day.month - 1 + steps
        return date(months // 12, months % 12 + 1, 1)
    return day + timedelta(days=steps * (7 if window.unit == "week" else 1))
