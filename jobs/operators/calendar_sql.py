"""Calendar windows as Spark SQL (`docs/semantics/windows.md#calendar`), by Spark's own time zone functions.

``to_utc_timestamp`` takes the earlier of two instants and shifts a skipped local time forward by the gap, as
the semantics require.
"""

from jobs.expressions.texts_sql import string_sql
from jobs.operators.calendar_windows import CalendarSpec


def calendar_bounds(instant: str, window: CalendarSpec) -> tuple[str, str]:
    """Spark SQL of start and end of the window that contains an instant.

    The local date of the instant falls into a unit; the window may be that of the unit before or after it,
    because a unit begins at `day_start` and because clocks change. Where a whole local day is skipped, the
    window may be two days back.
    """
    first = _first_day(f"cast(from_utc_timestamp({instant}, {string_sql(window.zone)}) AS DATE)", window)
    back = -2 if window.unit == "day" else -1
    days = [_moved(first, steps, window) for steps in range(back, 3)]
    bounds = [_bound(day, window) for day in days]
    start, end = bounds[0], bounds[1]
    for at in range(1, len(bounds) - 1):
        start = f"if({bounds[at]} <= {instant}, {bounds[at]}, {start})"
        end = f"if({bounds[at]} <= {instant}, {bounds[at + 1]}, {end})"
    return start, end


def _first_day(date: str, window: CalendarSpec) -> str:
    match window.unit:
        case "day":
            return date
        case "week":
            return f"date_sub({date}, pmod(weekday({date}) - {window.week_start}, 7))"
        case "month":
            return f"trunc({date}, 'MM')"


def _moved(date: str, steps: int, window: CalendarSpec) -> str:
    if steps == 0:
        return date
    match window.unit:
        case "day":
            return f"date_add({date}, {steps})"
        case "week":
            return f"date_add({date}, {7 * steps})"
        case "month":
            return f"add_months({date}, {steps})"


def _bound(date: str, window: CalendarSpec) -> str:
    local = f"timestamp_micros(unix_micros(cast({date} AS TIMESTAMP)) + {window.day_start * 60_000_000}L)"
    return f"to_utc_timestamp({local}, {string_sql(window.zone)})"
