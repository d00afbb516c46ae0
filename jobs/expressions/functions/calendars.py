"""Functions that count in the calendar: days, months and other units between times, and onwards from them."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from jobs.base.time_units import UNIT_US
from jobs.base.types import DATE, DOUBLE, INT, LONG, TIMESTAMP
from jobs.expressions.functions.function import Function, Nulls, Signature
from jobs.expressions.functions.literal_params import one_of
from jobs.expressions.functions.times import DAY_UNITS, UNITS, ZONE, keyword
from jobs.expressions.nodes import Tree
from jobs.expressions.ranges import day_in_range, micros_in_range

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_T: Final = "timestamp '2026-03-04T05:06:07.089Z'"
_D: Final = "date '2026-03-04'"


def _later_months(time: str, count: str, months: int) -> str:
    """The instant that many times these months later, as an instant of the years 1 to 9999 or null."""
    most = 119_988 // months
    bounded = f"CAST((CASE WHEN {count} BETWEEN -{most} AND {most} THEN {count} END) * {months} AS INT)"
    return micros_in_range(f"unix_micros({time} + make_ym_interval(0, {bounded}))")


def _later_micros(micros: int) -> str:
    return micros_in_range(f"try_add(unix_micros({{2}}), try_multiply({{1}}, {micros}L))")


def _f(
    name: str,
    doc: str,
    sql: str,
    *signatures: Signature,
    nulls: Nulls = Nulls.STRICT,
    aliases: tuple[str, ...] = (),
) -> Function:
    return Function(
        name=name, theme="time", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


_MONTHS: Final = {"year": 12, "quarter": 3, "month": 1}
_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


def _unit(arguments: tuple[Tree, ...]) -> str:
    return keyword(arguments[0]).lower()


def _instant_later(arguments: tuple[Tree, ...]) -> str:
    unit = _unit(arguments)
    return _later_months("{2}", "{1}", _MONTHS[unit]) if unit in _MONTHS else _later_micros(UNIT_US[unit])


def _day_later(arguments: tuple[Tree, ...]) -> str:
    unit = _unit(arguments)
    if unit in _MONTHS:
        return day_in_range(
            f"unix_date(CAST({_later_months('CAST({2} AS TIMESTAMP)', '{1}', _MONTHS[unit])} AS DATE))"
        )
    days = 7 if unit == "week" else 1
    return day_in_range(f"try_add(unix_date({{2}}), TRY_CAST(try_multiply({{1}}, {days}L) AS INT))")


CALENDARS: Final = (
    _f(
        "make_date",
        "Day of a year, month and day; null, and counted, when it does not exist.",
        "CASE WHEN {0} BETWEEN 1 AND 9999 THEN TRY_CAST(concat(lpad(CAST({0} AS STRING), 4, '0'), '-', "
        "CAST({1} AS STRING), '-', CAST({2} AS STRING)) AS DATE) END",
        Signature((INT, INT, INT), DATE, (("make_date(2026, 2, 28)", date(2026, 2, 28)),)),
        nulls=Nulls.ERROR,
    ),
    _f(
        "add_months",
        "The same day these many months later, or the month's last day where there is no such day; an "
        "instant keeps its time of day in UTC.",
        day_in_range("unix_date(add_months({0}, CASE WHEN {1} BETWEEN -119988 AND 119988 THEN {1} END))"),
        Signature((DATE, INT), DATE, (("add_months(date '2026-01-31', 1)", date(2026, 2, 28)),)),
        Signature(
            (TIMESTAMP, INT),
            TIMESTAMP,
            (
                (
                    "add_months(timestamp '2026-01-31T05:06:07Z', 1)",
                    datetime(2026, 2, 28, 5, 6, 7, tzinfo=UTC),
                ),
            ),
            _later_months("{0}", "{1}", 1),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "months_between",
        "Months from the second time to the first: whole when both are the same day of their month or its "
        "last one, else with a fraction of 31 days to 8 digits.",
        "months_between({0}, {1})",
        Signature((DATE, DATE), DOUBLE, (("months_between(date '2026-03-31', date '2026-02-28')", 1.0),)),
        Signature(
            (TIMESTAMP, TIMESTAMP),
            DOUBLE,
            ((f"months_between({_T}, timestamp '2026-01-04T00:00:00Z')", 2.0),),
        ),
    ),
    _f(
        "next_day",
        "The first day after this one that is that day of the week.",
        day_in_range("unix_date(next_day({0}, {1}))"),
        Signature(
            (DATE, one_of(WEEKDAYS, "day literal")), DATE, ((f"next_day({_D}, 'monday')", date(2026, 3, 9)),)
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "date_add",
        "The day these many days later; with a unit before: the instant or the day these many units later.",
        day_in_range("try_add(unix_date({0}), {1})"),
        Signature((DATE, INT), DATE, ((f"date_add({_D}, 30)", date(2026, 4, 3)),)),
        Signature(
            (one_of(UNITS, "unit literal"), LONG, TIMESTAMP),
            TIMESTAMP,
            (
                ("date_add('year', 90, timestamp '2026-01-01T00:00:00Z')", datetime(2116, 1, 1, tzinfo=UTC)),
                (
                    "date_add('quarter', 90, timestamp '2026-01-01T00:00:00Z')",
                    datetime(2048, 7, 1, tzinfo=UTC),
                ),
                ("date_add('month', 90, timestamp '2026-01-01T00:00:00Z')", datetime(2033, 7, 1, tzinfo=UTC)),
                *(
                    (
                        f"date_add('{unit}', 90, timestamp '2026-01-01T00:00:00Z')",
                        _START + 90 * timedelta(microseconds=micros),
                    )
                    for unit, micros in UNIT_US.items()
                ),
            ),
            _instant_later,
        ),
        Signature(
            (one_of(DAY_UNITS, "unit literal"), LONG, DATE),
            DATE,
            (
                (f"date_add('year', 2, {_D})", date(2028, 3, 4)),
                (f"date_add('quarter', 2, {_D})", date(2026, 9, 4)),
                (f"date_add('month', 2, {_D})", date(2026, 5, 4)),
                (f"date_add('week', 2, {_D})", date(2026, 3, 18)),
                (f"date_add('day', 2, {_D})", date(2026, 3, 6)),
            ),
            _day_later,
        ),
        nulls=Nulls.ERROR,
        aliases=("dateadd", "timestampadd"),
    ),
    _f(
        "date_sub",
        "The day these many days earlier.",
        day_in_range("try_subtract(unix_date({0}), {1})"),
        Signature((DATE, INT), DATE, ((f"date_sub({_D}, 4)", date(2026, 2, 28)),)),
        nulls=Nulls.ERROR,
    ),
    _f(
        "date_diff",
        "Days from the second day to the first; with a unit before: whole units from the second argument "
        "to the third.",
        "datediff({0}, {1})",
        Signature((DATE, DATE), INT, ((f"date_diff({_D}, date '2026-03-01')", 3),)),
        Signature(
            (one_of(UNITS, "unit literal"), TIMESTAMP, TIMESTAMP),
            LONG,
            ((f"date_diff('hour', timestamp '2026-03-01T00:00:00Z', {_T})", 77),),
            lambda arguments: f"timestampdiff({keyword(arguments[0])}, {{1}}, {{2}})",
        ),
        Signature(
            (one_of(DAY_UNITS, "unit literal"), DATE, DATE),
            LONG,
            ((f"date_diff('month', date '2025-12-31', {_D})", 2),),
            lambda arguments: (
                f"timestampdiff({keyword(arguments[0])}, CAST({{1}} AS TIMESTAMP), CAST({{2}} AS TIMESTAMP))"
            ),
        ),
        aliases=("datediff", "timestampdiff"),
    ),
    _f(
        "last_day",
        "Last day of the month, in UTC or in a zone.",
        "last_day({0})",
        Signature((DATE,), DATE, ((f"last_day({_D})", date(2026, 3, 31)),)),
        Signature(
            (TIMESTAMP,), DATE, ((f"last_day({_T})", date(2026, 3, 31)),), "last_day(CAST({0} AS DATE))"
        ),
        Signature(
            (TIMESTAMP, ZONE),
            DATE,
            (("last_day(timestamp '2026-03-31T22:00:00Z', 'Europe/Berlin')", date(2026, 4, 30)),),
            day_in_range("unix_date(last_day(CAST(from_utc_timestamp({0}, {1}) AS DATE)))"),
            Nulls.ERROR,
        ),
    ),
    _f(
        "unix_date",
        "Days since 1970-01-01.",
        "unix_date({0})",
        Signature((DATE,), INT, ((f"unix_date({_D})", 20_516),)),
    ),
    _f(
        "date_from_unix_date",
        "The day these many days after 1970-01-01.",
        day_in_range("{0}"),
        Signature((INT,), DATE, (("date_from_unix_date(20516)", date(2026, 3, 4)),)),
        nulls=Nulls.ERROR,
    ),
)
