"""Windows of an instant, for kinds whose windows don't depend on rows (`docs/semantics/windows.md`)."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.oracle.values import EPOCH, MICRO, micros, moment

Window = tuple[int, int]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def kind_of(window: Any) -> str:
    """none, tumbling, hopping, sliding, session or calendar."""
    return "none" if window in (None, "none") else str(next(iter(window)))


def windows_of(window: Any, t: int) -> list[Window | None]:
    """All windows that hold t; [None] when there are none to speak of."""
    kind = kind_of(window)
    if kind == "none":
        return [None]
    written = window[kind]
    if kind == "calendar":
        return [calendar_window(written, t)]
    size = micros(written["size"])
    advance = micros(written["advance"]) if kind == "hopping" else size
    offset = micros(written.get("offset", "0s"))
    start = (t - offset) // advance * advance + offset
    found: list[Window | None] = []
    while start + size > t:
        found.append((start, start + size))
        start -= advance
    return found


def window_before(window: Any, this: Window) -> Window:
    """The window that ends where this one begins."""
    (found,) = windows_of(window, this[0] - 1)
    assert found is not None
    return found


def window_after(window: Any, this: Window) -> Window:
    """The window that begins where this one ends."""
    (found,) = windows_of(window, this[1])
    assert found is not None
    return found


def calendar_window(written: dict[str, Any], t: int) -> Window:
    """``[bound(d), bound(next d))`` for the last first day d of a unit whose bound is not after t."""
    local = (EPOCH + timedelta(microseconds=t)).astimezone(ZoneInfo(written["zone"])).date()
    first = _first(written, local)
    previous = _previous(written, first)
    candidates = [
        _previous(written, previous),  # the one before may be a day that the zone skipped
        previous,
        first,
        _next(written, first),
        _next(written, _next(written, first)),
    ]
    start = max(day for day in candidates if _bound(written, day) <= t)
    return _bound(written, start), _bound(written, _next(written, start))


def _bound(written: dict[str, Any], day: date) -> int:
    hours, minutes = map(int, written.get("day_start", "00:00").split(":"))
    local = datetime(
        day.year, day.month, day.day, hours, minutes, tzinfo=ZoneInfo(written["zone"])
    )  # fold 0: the earlier of two
    return (local.astimezone(UTC) - EPOCH) // MICRO


def _first(written: dict[str, Any], day: date) -> date:
    match written["unit"]:
        case "day":
            return day
        case "week":
            return day - timedelta(
                days=(day.weekday() - WEEKDAYS.index(written.get("week_start", "monday"))) % 7
            )
        case _:
            return day.replace(day=1)


def _next(written: dict[str, Any], first: date) -> date:
    days = {"day": 1, "week": 7, "month": 31}[written["unit"]]
    return _first(written, first + timedelta(days=days))


def _previous(written: dict[str, Any], first: date) -> date:
    return _first(written, first - timedelta(days=1))


def bounds_of(window: Window | None) -> list[Any]:
    """Start and end as instants."""
    return [moment(window[0]), moment(window[1])] if window else []
