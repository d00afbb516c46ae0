"""Functions of instants, dates and durations. All parts are those of UTC unless a zone is named.

A duration is an integer of microseconds in Spark; `spark_types` says so.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Final

from jobs.base.durations import Duration, DurationTextError, parse_duration
from jobs.base.time_patterns import compile_pattern, pieces_of
from jobs.base.time_zones import is_zone
from jobs.base.types import DATE, DOUBLE, DURATION, INT, LONG, STRING, TIMESTAMP, Decimal
from jobs.expressions.functions.function import Function, LiteralParam, Nulls, Parameter, Signature
from jobs.expressions.functions.literal_params import one_of
from jobs.expressions.nodes import Literal, Tree
from jobs.expressions.ranges import day_in_range, micros_in_range
from jobs.expressions.sql_times import pattern_time

UNITS: Final = (
    "year",
    "quarter",
    "month",
    "week",
    "day",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
)
DAY_PARTS: Final = (
    "year", "yearofweek", "quarter", "month", "week", "day", "doy", "dayofweek", "dow", "dayofweek_iso",
    "dow_iso",
)  # fmt: skip
PARTS: Final = (*DAY_PARTS, "hour", "minute")
_T: Final = "timestamp '2026-03-04T05:06:07.089Z'"
_D: Final = "date '2026-03-04'"


def _zone_complaint(value: object) -> str | None:
    """Only names of the zone database: an offset is no zone (`docs/semantics/time.md#local-time`)."""
    return (
        None
        if isinstance(value, str) and is_zone(value)
        else "must be an IANA time zone, such as Europe/Berlin or UTC"
    )


def _pattern_complaint(value: object) -> str | None:
    """The letters of `docs/semantics/time.md#texts` only."""
    if isinstance(value, str) and pieces_of(value) is not None:
        return None
    return "supports only yyyy MM dd HH mm ss, up to 9 times S, XXX, quoted text and punctuation except []{}#"


def _duration_complaint(value: object) -> str | None:
    if isinstance(value, str):
        try:
            parse_duration(value)
        except DurationTextError as error:
            return str(error)
        return None
    return "must be a duration such as '5s' or '1h30m'"


def _span_complaint(value: object) -> str | None:
    return (
        None
        if isinstance(value, Duration) and value.us > 0
        else "must be a duration above zero, such as duration('15m')"
    )


ZONE: Final = LiteralParam(STRING, _zone_complaint, "zone literal")
_LOCAL: Final = "from_utc_timestamp({0}, {1})"
_TEXT: Final = "\0"  # stands for a text's SQL, which holds no such sign
DAY_UNITS: Final = ("year", "quarter", "month", "week", "day")
_FORMAT: Final = LiteralParam(STRING, _pattern_complaint, "pattern literal")
_SPAN: Final = LiteralParam(DURATION, _span_complaint, "duration literal")
DURATION_TEXT: Final = LiteralParam(STRING, _duration_complaint, "duration literal")


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


def _part(
    name: str, doc: str, value: int, *, dates: bool, sql: str | None = None, aliases: tuple[str, ...] = ()
) -> Function:
    """An integer part of a timestamp, and of a date when `dates`."""
    parameters: tuple[Parameter, ...] = (TIMESTAMP, DATE) if dates else (TIMESTAMP,)
    texts = (_T, _D)
    template = sql or f"{name}({{0}})"
    signatures = [Signature((p,), INT, ((f"{name}({texts[i]})", value),)) for i, p in enumerate(parameters)]
    local = value + 1 if name == "hour" else value
    signatures.append(
        Signature(
            (TIMESTAMP, ZONE), INT, ((f"{name}({_T}, 'Europe/Berlin')", local),), template.format(_LOCAL)
        )
    )
    return _f(name, f"{doc[:-1]}; in UTC, or in a zone.", template, *signatures, aliases=aliases)


def _name_of(name: str, doc: str, letters: str, value: str) -> Function:
    """An English name by a pattern."""
    template = f"date_format({{0}}, '{letters}')"
    return _f(
        name,
        doc,
        template,
        Signature((DATE,), STRING, ((f"{name}({_D})", value),)),
        Signature((TIMESTAMP,), STRING, ((f"{name}({_T})", value),)),
        Signature(
            (TIMESTAMP, ZONE), STRING, ((f"{name}({_T}, 'Europe/Berlin')", value),), template.format(_LOCAL)
        ),
    )


def keyword(tree: Tree) -> str:
    """A unit or part, one of those that the check lets in, as Spark's keyword."""
    return str(tree.value).upper() if isinstance(tree, Literal) else ""


def _part_sql(time: str) -> Callable[[tuple[Tree, ...]], str]:
    return lambda arguments: f"CAST(extract({keyword(arguments[0])} FROM {time}) AS INT)"


def _read_sql(arguments: tuple[Tree, ...]) -> str:
    """The timestamp of a text by a pattern, as in a contract. Only what a contract does not take, a letter
    group twice or none, is left to Spark.
    """
    pattern = compile_pattern(str(getattr(arguments[1], "value", "")))
    if pattern is None:
        return "try_to_timestamp({0}, {1})"
    sql = pattern_time(_TEXT, pattern)
    return sql.replace("{", "{{").replace("}", "}}").replace(_TEXT, "{0}")


def _read_local_sql(arguments: tuple[Tree, ...]) -> str:
    return micros_in_range(f"unix_micros(to_utc_timestamp({_read_sql(arguments)}, {{2}}))")


def _no_offset(arguments: tuple[Tree, ...]) -> str | None:
    pattern = getattr(arguments[1], "value", "")
    return (
        "XXX always shows the offset of UTC; remove it when a zone is given."
        if "XXX" in (pieces_of(str(pattern)) or ())
        else None
    )


_MADE: Final = (
    "CASE WHEN {0} BETWEEN 1 AND 9999 AND {5} >= 0 AND {5} < 60 THEN "
    "try_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST({5} AS DECIMAL(16,6))) END"
)
TIMES: Final = (
    _part("year", "Year.", 2026, dates=True),
    _part("quarter", "Quarter, 1 to 4.", 1, dates=True),
    _part("month", "Month, 1 to 12.", 3, dates=True),
    _part("day", "Day of the month.", 4, dates=True, aliases=("day_of_month", "dayofmonth")),
    _part("day_of_week", "Day of the week, 1 Monday to 7 Sunday.", 3, dates=True, sql="(weekday({0}) + 1)"),
    _part(
        "day_of_year",
        "Day of the year, from 1.",
        63,
        dates=True,
        sql="dayofyear({0})",
        aliases=("dayofyear",),
    ),
    _part(
        "week",
        "ISO week of the year.",
        10,
        dates=True,
        sql="weekofyear({0})",
        aliases=("weekofyear", "week_of_year"),
    ),
    _part(
        "year_of_week",
        "Year that the ISO week belongs to.",
        2026,
        dates=True,
        sql="extract(YEAROFWEEK FROM {0})",
    ),
    _part("dayofweek", "Day of the week, 1 Sunday to 7 Saturday.", 4, dates=True),
    _part("weekday", "Day of the week, 0 Monday to 6 Sunday.", 2, dates=True),
    _part("hour", "Hour, 0 to 23.", 5, dates=False),
    _part("minute", "Minute, 0 to 59.", 6, dates=False),
    _part("second", "Second, 0 to 59.", 7, dates=False),
    _part(
        "millisecond",
        "Whole milliseconds of the second, 0 to 999.",
        89,
        dates=False,
        sql="CAST(pmod(unix_millis({0}), 1000L) AS INT)",
    ),
    _part(
        "microsecond",
        "Whole microseconds of the second, 0 to 999999.",
        89_000,
        dates=False,
        sql="CAST(pmod(unix_micros({0}), 1000000L) AS INT)",
    ),
    _f(
        "date_part",
        "Part of a time, in UTC or in a zone; the same as extract(part from time). Days of the week are "
        "Spark's: dayofweek and dow from 1 Sunday, dayofweek_iso and dow_iso from 1 Monday; second has "
        "its fraction.",
        "",
        Signature(
            (one_of(PARTS, "part literal"), TIMESTAMP),
            INT,
            ((f"date_part('hour', {_T})", 5),),
            _part_sql("{1}"),
        ),
        Signature(
            (one_of(PARTS, "part literal"), TIMESTAMP, ZONE),
            INT,
            ((f"date_part('hour', {_T}, 'Europe/Berlin')", 6),),
            _part_sql("from_utc_timestamp({1}, {2})"),
        ),
        Signature(
            (one_of(DAY_PARTS, "part literal"), DATE),
            INT,
            ((f"date_part('doy', {_D})", 63),),
            _part_sql("{1}"),
        ),
        Signature(
            (one_of(("second",), "part literal"), TIMESTAMP),
            Decimal(8, 6),
            ((f"date_part('second', {_T})", "7.089000"),),
            "extract(SECOND FROM {1})",
        ),
        aliases=("datepart",),
    ),
    _f(
        "date_trunc",
        "Start of the unit that holds the instant or the day; weeks start on Monday.",
        "date_trunc({0}, {1})",
        Signature(
            (one_of(DAY_UNITS, "unit literal"), DATE),
            DATE,
            ((f"date_trunc('month', {_D})", date(2026, 3, 1)),),
            "CAST(date_trunc({0}, {1}) AS DATE)",
        ),
        Signature(
            (one_of(UNITS, "unit literal"), TIMESTAMP),
            TIMESTAMP,
            ((f"date_trunc('hour', {_T})", datetime(2026, 3, 4, 5, tzinfo=UTC)),),
        ),
        Signature(
            (one_of(DAY_UNITS, "unit literal"), TIMESTAMP, ZONE),
            TIMESTAMP,
            ((f"date_trunc('day', {_T}, 'Europe/Berlin')", datetime(2026, 3, 3, 23, tzinfo=UTC)),),
            micros_in_range(
                "unix_micros(to_utc_timestamp(date_trunc({0}, from_utc_timestamp({1}, {2})), {2}))"
            ),
            Nulls.ERROR,
        ),
    ),
    _f(
        "time_bucket",
        "Start of the span of that length which holds the instant; spans follow each other from "
        "1970-01-01T00:00, in UTC or in a zone's local time, where the hour that comes twice counts as "
        "one.",
        micros_in_range("try_subtract(unix_micros({0}), pmod(unix_micros({0}), {1}))"),
        Signature(
            (TIMESTAMP, _SPAN),
            TIMESTAMP,
            ((f"time_bucket({_T}, duration('15m'))", datetime(2026, 3, 4, 5, tzinfo=UTC)),),
        ),
        Signature(
            (TIMESTAMP, _SPAN, ZONE),
            TIMESTAMP,
            ((f"time_bucket({_T}, duration('8h'), 'Europe/Berlin')", datetime(2026, 3, 3, 23, tzinfo=UTC)),),
            micros_in_range(
                "unix_micros(to_utc_timestamp(timestamp_micros(unix_micros(from_utc_timestamp({0}, {2})) - "
                "pmod(unix_micros(from_utc_timestamp({0}, {2})), {1})), {2}))"
            ),
        ),
        nulls=Nulls.ERROR,
    ),
    _name_of("day_name", "English name of the day of the week, in UTC or in a zone.", "EEEE", "Wednesday"),
    _name_of("month_name", "English name of the month, in UTC or in a zone.", "MMMM", "March"),
    _f(
        "make_timestamp",
        "Instant of a year, month, day, hour, minute and second, in UTC or in a zone; null, and counted, "
        "when it does not exist. A local time that comes twice is the earlier, a skipped one is shifted "
        "forward.",
        "",
        Signature(
            (INT, INT, INT, INT, INT, INT),
            TIMESTAMP,
            (("make_timestamp(2026, 3, 4, 5, 6, 7)", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),),
            _MADE,
        ),
        Signature(
            (INT, INT, INT, INT, INT, Decimal(8, 6)),
            TIMESTAMP,
            (("make_timestamp(2026, 3, 4, 5, 6, 7.089)", datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)),),
            _MADE,
        ),
        Signature(
            (INT, INT, INT, INT, INT, INT, ZONE),
            TIMESTAMP,
            (
                (
                    "make_timestamp(2026, 3, 4, 5, 6, 7, 'Europe/Berlin')",
                    datetime(2026, 3, 4, 4, 6, 7, tzinfo=UTC),
                ),
            ),
            micros_in_range(f"unix_micros(to_utc_timestamp({_MADE}, {{6}}))"),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "to_timestamp",
        "Instant of a text: ISO form, or of a pattern; a text without offset is UTC, or local time of a "
        "zone.",
        "",
        Signature(
            (STRING, _FORMAT),
            TIMESTAMP,
            (
                (
                    "to_timestamp('04.03.2026 05:06', 'dd.MM.yyyy HH:mm')",
                    datetime(2026, 3, 4, 5, 6, tzinfo=UTC),
                ),
            ),
            _read_sql,
        ),
        Signature(
            (STRING, _FORMAT, ZONE),
            TIMESTAMP,
            (
                (
                    "to_timestamp('04.03.2026 05:06', 'dd.MM.yyyy HH:mm', 'Europe/Berlin')",
                    datetime(2026, 3, 4, 4, 6, tzinfo=UTC),
                ),
            ),
            _read_local_sql,
            check_arguments=_no_offset,
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "format_timestamp",
        "Text of an instant or a day by a pattern, in UTC or in a zone.",
        "date_format({0}, {1})",
        Signature(
            (DATE, _FORMAT),
            STRING,
            ((f"format_timestamp({_D}, 'dd.MM.yyyy')", "04.03.2026"),),
            check_arguments=_no_offset,
        ),
        Signature(
            (TIMESTAMP, _FORMAT),
            STRING,
            ((f"format_timestamp({_T}, 'yyyy-MM-dd HH:mm:ss.SSS')", "2026-03-04 05:06:07.089"),),
        ),
        Signature(
            (TIMESTAMP, _FORMAT, ZONE),
            STRING,
            ((f"format_timestamp({_T}, 'HH:mm', 'Europe/Berlin')", "06:06"),),
            "date_format(from_utc_timestamp({0}, {2}), {1})",
            check_arguments=_no_offset,
        ),
        aliases=("date_format",),
    ),
    _f(
        "from_utc_timestamp",
        "Local time of a zone at this instant, held as if it were UTC.",
        micros_in_range("unix_micros(from_utc_timestamp({0}, {1}))"),
        Signature(
            (TIMESTAMP, ZONE),
            TIMESTAMP,
            (
                (
                    f"from_utc_timestamp({_T}, 'Europe/Berlin')",
                    datetime(2026, 3, 4, 6, 6, 7, 89000, tzinfo=UTC),
                ),
            ),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "to_utc_timestamp",
        "Instant of a zone's local time: of two the earlier, a skipped one shifted forward.",
        micros_in_range("unix_micros(to_utc_timestamp({0}, {1}))"),
        Signature(
            (TIMESTAMP, ZONE),
            TIMESTAMP,
            ((f"to_utc_timestamp({_T}, 'Europe/Berlin')", datetime(2026, 3, 4, 4, 6, 7, 89000, tzinfo=UTC)),),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "unix_seconds",
        "Whole seconds since 1970.",
        "unix_seconds({0})",
        Signature((TIMESTAMP,), LONG, ((f"unix_seconds({_T})", 1772600767),)),
    ),
    _f(
        "unix_millis",
        "Milliseconds since 1970.",
        "unix_millis({0})",
        Signature((TIMESTAMP,), LONG, ((f"unix_millis({_T})", 1772600767089),)),
    ),
    _f(
        "unix_micros",
        "Microseconds since 1970.",
        "unix_micros({0})",
        Signature((TIMESTAMP,), LONG, ((f"unix_micros({_T})", 1772600767089000),)),
    ),
    _f(
        "timestamp_seconds",
        "Instant these many seconds after 1970.",
        micros_in_range("try_multiply({0}, 1000000L)"),
        Signature(
            (LONG,),
            TIMESTAMP,
            (("timestamp_seconds(1772600767)", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "timestamp_millis",
        "Instant these many milliseconds after 1970.",
        micros_in_range("try_multiply({0}, 1000L)"),
        Signature(
            (LONG,),
            TIMESTAMP,
            (("timestamp_millis(1772600767089)", datetime(2026, 3, 4, 5, 6, 7, 89000, tzinfo=UTC)),),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "timestamp_micros",
        "Instant these many microseconds after 1970.",
        micros_in_range("{0}"),
        Signature(
            (LONG,),
            TIMESTAMP,
            (("timestamp_micros(1772600767089000)", datetime(2026, 3, 4, 5, 6, 7, 89000, tzinfo=UTC)),),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "to_date",
        "Day of an instant, in UTC or in a zone, or of a text: ISO form, or of a pattern.",
        "CAST({0} AS DATE)",
        Signature(
            (STRING, _FORMAT),
            DATE,
            (("to_date('04.03.2026', 'dd.MM.yyyy')", date(2026, 3, 4)),),
            lambda arguments: f"CAST({_read_sql(arguments)} AS DATE)",
            Nulls.ERROR,
            check_arguments=_no_offset,
        ),
        Signature((TIMESTAMP,), DATE, ((f"to_date({_T})", date(2026, 3, 4)),)),
        Signature(
            (TIMESTAMP, ZONE),
            DATE,
            (("to_date(timestamp '2026-03-04T23:30:00Z', 'Europe/Berlin')", date(2026, 3, 5)),),
            day_in_range(f"unix_date(CAST({_LOCAL} AS DATE))"),
            Nulls.ERROR,
        ),
    ),
    _f(
        "to_micros",
        "Microseconds of a duration.",
        "{0}",
        Signature((DURATION,), LONG, (("to_micros(duration('1m'))", 60_000_000),)),
    ),
    _f(
        "to_seconds",
        "Seconds of a duration, with fraction.",
        "(CAST({0} AS DOUBLE) / 1000000D)",
        Signature((DURATION,), DOUBLE, (("to_seconds(duration('1s500ms'))", 1.5),)),
    ),
)
