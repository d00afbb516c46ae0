"""Functions of instants and days, in UTC or in a zone. Durations are whole microseconds."""

import calendar
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.instants import datetime_of, instant_of, microseconds_of
from jobs.base.time_patterns import pieces_of, quoted_text
from jobs.base.time_units import DAY_US, MILLISECOND_US, SECOND_US, UNIT_US
from jobs.base.time_zones import zone_named
from jobs.base.types import DATE, DURATION, INT, LONG, STRING, TIMESTAMP
from jobs.expressions.python_functions.python_function import PythonFunction

_FIRST: Final = date(1970, 1, 1)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_IN_MONTHS: Final = {"year": 12, "quarter": 3, "month": 1}
_TIMES: Final = (TIMESTAMP, DATE)
_AT: Final = ((TIMESTAMP,), (STRING,))


def in_range(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Null for what Python's times, which have the same years as ours, do not hold."""

    def found(*values: Any) -> Any:
        try:
            return evaluate(*values)
        except (ValueError, OverflowError):
            return None

    return found


def _local(moment: datetime, zone: str) -> datetime:
    """Local time held as if it were UTC."""
    return moment.astimezone(zone_named(zone)).replace(tzinfo=UTC)


def _instant(local: datetime, zone: str) -> datetime:
    """The instant of a local time: of two the earlier, a skipped one shifted forward."""
    return local.replace(tzinfo=zone_named(zone), fold=0).astimezone(UTC)


def _part_of(part: str) -> Callable[[Any], Any]:
    return lambda moment: int(getattr(moment, part))


PARTS: Final[dict[str, Callable[[Any], Any]]] = {
    "year": _part_of("year"),
    "quarter": lambda moment: (moment.month + 2) // 3,
    "month": _part_of("month"),
    "day": _part_of("day"),
    "day_of_week": lambda moment: moment.isoweekday(),
    "dayofweek": lambda moment: moment.isoweekday() % 7 + 1,
    "weekday": lambda moment: moment.weekday(),
    "day_of_year": lambda moment: moment.timetuple().tm_yday,
    "week": lambda moment: moment.isocalendar().week,
    "year_of_week": lambda moment: moment.isocalendar().year,
    "day_name": lambda moment: _WEEKDAYS[moment.weekday()].capitalize(),
    "month_name": lambda moment: _MONTHS[moment.month - 1],
}
_YEARS: Final = (PARTS["year"], PARTS["year_of_week"])
_CLOCK: Final[dict[str, Callable[[Any], Any]]] = {
    "hour": _part_of("hour"),
    "minute": _part_of("minute"),
    "second": _part_of("second"),
    "millisecond": lambda moment: moment.microsecond // 1000,
    "microsecond": _part_of("microsecond"),
}
_NAMED: Final[dict[str, Callable[[Any], Any]]] = {
    **{name: PARTS[name] for name in ("year", "quarter", "month", "week", "day", "dayofweek")},
    **{
        "dow": PARTS["dayofweek"],
        "dayofweek_iso": PARTS["day_of_week"],
        "dow_iso": PARTS["day_of_week"],
        "doy": PARTS["day_of_year"],
    },
    **{"yearofweek": PARTS["year_of_week"], "hour": _CLOCK["hour"], "minute": _CLOCK["minute"]},
    "second": lambda moment: Number(moment.second * SECOND_US + moment.microsecond).scaleb(-6),
}


def _part(evaluate: Callable[[Any], Any], *, dates: bool) -> tuple[PythonFunction, ...]:
    return (
        PythonFunction(evaluate, (_TIMES if dates else (TIMESTAMP,),)),
        PythonFunction(lambda moment, zone: _local_part(evaluate, moment, zone), _AT, (2,)),
    )


def _local_part(evaluate: Callable[[Any], Any], moment: datetime, zone: str) -> Any:
    local, years = _local_in_cycle(moment, zone)
    return evaluate(local) + years if evaluate in _YEARS else evaluate(local)


def _local_in_cycle(moment: datetime, zone: str) -> tuple[datetime, int]:
    """Local time, and the years to add to it, which are none where the years 1 to 9999 hold it."""
    try:
        return _local(moment, zone), 0
    except OverflowError:
        years = _years_away(moment)
        return _local(moment.replace(year=moment.year - years), zone), years


def _years_away(moment: datetime) -> int:
    """The years after which the calendar repeats, away from the nearer end of the years 1 to 9999."""
    return 400 if moment.year > 5000 else -400


def _start_in(start: Callable[[datetime, int], datetime], moment: datetime, zone: str) -> datetime:
    """The instant of a start in local time, which `start` gives for the local time and for the microseconds
    to add to it.
    """
    try:
        return _instant(start(_local(moment, zone), 0), zone)
    except OverflowError:
        years = _years_away(moment)
        away = moment.replace(year=moment.year - years)
        found = _instant(start(_local(away, zone), microseconds_of(moment - away)), zone)
        return found.replace(year=found.year + years)


def _truncated(unit: str, moment: Any) -> Any:
    if unit in ("millisecond", "second", "minute", "hour"):
        count = instant_of(moment)
        return datetime_of(count - count % UNIT_US[unit])
    if unit == "microsecond":
        return moment
    day = moment.date() if isinstance(moment, datetime) else moment
    first = {
        "year": lambda: day.replace(month=1, day=1),
        "quarter": lambda: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
        "month": lambda: day.replace(day=1),
        "week": lambda: day - timedelta(days=day.weekday()),
        "day": lambda: day,
    }[unit]()
    return datetime(first.year, first.month, first.day, tzinfo=UTC) if isinstance(moment, datetime) else first


def _bucket(moment: datetime, span: int, later: int = 0) -> datetime:
    """Of the moment so many microseconds later, so many earlier."""
    return datetime_of(instant_of(moment) - (instant_of(moment) + later) % span)


def _months_later(moment: Any, count: int) -> Any:
    month = moment.year * 12 + moment.month - 1 + count
    year, month = month // 12, month % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))


def _units_later(unit: str, count: int, moment: Any) -> Any:
    if unit in _IN_MONTHS:
        return _months_later(moment, count * _IN_MONTHS[unit])
    return moment + timedelta(microseconds=count * UNIT_US[unit])


def _last_day(moment: Any) -> date:
    return date(moment.year, moment.month, calendar.monthrange(moment.year, moment.month)[1])


def _next_day(day: date, name: str) -> date:
    return day + timedelta(days=(_WEEKDAYS.index(name) - day.weekday() - 1) % 7 + 1)


def _made(
    year: int, month: int, day: int, hour: int, minute: int, second: Any, zone: str = "UTC"
) -> datetime:
    whole = int(second)
    return _instant(
        datetime(year, month, day, hour, minute, whole, int((second - whole) * SECOND_US), tzinfo=UTC), zone
    )


def _shown(moment: Any, pattern: str, years: int = 0) -> str:
    """A time by a pattern, so many years later."""
    time = (
        moment
        if isinstance(moment, datetime)
        else datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    )
    year = time.year + years
    parts = {
        "yyyy": f"{year:04d}" if year < 10_000 else f"+{year}",
        "MM": f"{time.month:02d}", "dd": f"{time.day:02d}",
        "HH": f"{time.hour:02d}", "mm": f"{time.minute:02d}", "ss": f"{time.second:02d}", "XXX": "Z",
    }  # fmt: skip
    text = ""
    for piece in pieces_of(pattern) or ():
        if piece[0] == "S":
            text += f"{time.microsecond:06d}000"[: len(piece)]
        else:
            text += parts.get(piece) or (quoted_text(piece) if piece[0] == "'" else piece)
    return text


def _shown_in(moment: datetime, pattern: str, zone: str) -> str:
    local, years = _local_in_cycle(moment, zone)
    return _shown(local, pattern, years)


def _day(moment: datetime) -> date:
    return moment.date()


TIMES: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "span": (PythonFunction(lambda left, right: microseconds_of(left - right), counts=(2,)),),
    "date span": (PythonFunction(lambda left, right: (left - right).days * DAY_US, counts=(2,)),),
    "date +": (PythonFunction(in_range(lambda day, count: day + timedelta(days=count)), counts=(2,)),),
    "date -": (PythonFunction(in_range(lambda day, count: day - timedelta(days=count)), counts=(2,)),),
    **{name: _part(evaluate, dates=True) for name, evaluate in PARTS.items()},
    **{name: _part(evaluate, dates=False) for name, evaluate in _CLOCK.items()},
    "date_part": (
        PythonFunction(lambda part, moment: _NAMED[part](moment), ((STRING,), _TIMES), (2,)),
        PythonFunction(
            lambda part, moment, zone: _local_part(_NAMED[part], moment, zone),
            ((STRING,), (TIMESTAMP,), (STRING,)),
            (3,),
        ),
    ),
    "date_trunc": (
        PythonFunction(in_range(_truncated), ((STRING,), _TIMES), (2,)),
        PythonFunction(
            in_range(
                lambda unit, moment, zone: _start_in(lambda local, _: _truncated(unit, local), moment, zone)
            ),
            ((STRING,), (TIMESTAMP,), (STRING,)),
            (3,),
        ),
    ),
    "time_bucket": (
        PythonFunction(in_range(_bucket), ((TIMESTAMP,), (DURATION,)), (2,)),
        PythonFunction(
            in_range(
                lambda moment, span, zone: _start_in(
                    lambda local, later: _bucket(local, span, later), moment, zone
                )
            ),
            ((TIMESTAMP,), (DURATION,), (STRING,)),
            (3,),
        ),
    ),
    "format_timestamp": (
        PythonFunction(_shown, (_TIMES, (STRING,)), (2,)),
        PythonFunction(_shown_in, _AT, (3,)),
    ),
    "from_utc_timestamp": (PythonFunction(in_range(_local), _AT, (2,)),),
    "to_utc_timestamp": (PythonFunction(in_range(_instant), _AT, (2,)),),
    "to_date": (
        PythonFunction(_day, ((TIMESTAMP,),)),
        PythonFunction(in_range(lambda moment, zone: _day(_local(moment, zone))), _AT, (2,)),
    ),
    "unix_seconds": (PythonFunction(lambda moment: instant_of(moment) // SECOND_US, ((TIMESTAMP,),)),),
    "unix_millis": (PythonFunction(lambda moment: instant_of(moment) // MILLISECOND_US, ((TIMESTAMP,),)),),
    "unix_micros": (PythonFunction(instant_of, ((TIMESTAMP,),)),),
    "timestamp_seconds": (
        PythonFunction(in_range(lambda count: datetime_of(count * SECOND_US)), ((LONG,),)),
    ),
    "timestamp_millis": (
        PythonFunction(in_range(lambda count: datetime_of(count * MILLISECOND_US)), ((LONG,),)),
    ),
    "timestamp_micros": (PythonFunction(in_range(datetime_of), ((LONG,),)),),
    "unix_date": (PythonFunction(lambda day: (day - _FIRST).days, ((DATE,),)),),
    "date_from_unix_date": (
        PythonFunction(in_range(lambda count: _FIRST + timedelta(days=count)), ((INT,),)),
    ),
    "make_date": (PythonFunction(in_range(date), ((INT,),), (3,)),),
    "make_timestamp": (PythonFunction(in_range(_made), counts=(6, 7)),),
    "date_add": (
        PythonFunction(in_range(lambda day, count: day + timedelta(days=count)), ((DATE,), (INT,)), (2,)),
        PythonFunction(in_range(_units_later), ((STRING,), (LONG,), _TIMES), (3,)),
    ),
    "date_sub": (
        PythonFunction(in_range(lambda day, count: day - timedelta(days=count)), ((DATE,), (INT,)), (2,)),
    ),
    "date_diff": (PythonFunction(lambda left, right: (left - right).days, ((DATE,),), (2,)),),
    "add_months": (PythonFunction(in_range(_months_later), (_TIMES, (INT,)), (2,)),),
    "last_day": (
        PythonFunction(_last_day, (_TIMES,)),
        PythonFunction(in_range(lambda moment, zone: _last_day(_local(moment, zone))), _AT, (2,)),
    ),
    "next_day": (PythonFunction(in_range(_next_day), ((DATE,), (STRING,)), (2,)),),
    "to_micros": (PythonFunction(lambda span: span, ((DURATION,),)),),
    "to_seconds": (PythonFunction(lambda span: float(span) / SECOND_US, ((DURATION,),)),),
}
