"""Instants and spans of time as Spark SQL."""

from jobs.base.durations import Duration
from jobs.base.time_patterns import TimePattern
from jobs.base.time_units import DAY_US, SECOND_US
from jobs.base.types import STRING, TIMESTAMP
from jobs.expressions.casts import cast_rule
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import string_sql


def shifted(instant: str, us: int) -> str:
    """A timestamp moved by this many microseconds; moved by none it stays what it is,
    with the marks of its column.
    """
    return f"timestamp_micros(unix_micros({instant}) + {us}L)" if us else instant


def interval(duration: Duration) -> str:
    """A duration as a Spark literal, from which Spark can tell bounds of time."""
    days, rest = divmod(abs(duration.us), DAY_US)
    seconds, us = divmod(rest, SECOND_US)
    sign = "-" if duration.us < 0 else ""
    return (
        f"INTERVAL '{sign}{days} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us:06}' "
        "DAY TO SECOND"
    )


def iso_time(text: str) -> str:
    """The timestamp of an ISO text, which is UTC without an offset; null for other texts.

    Args:
        text: Spark SQL.
    """
    cast = cast_rule(STRING, TIMESTAMP)
    if cast is None:
        raise ValueError("text cannot be read as a timestamp")
    return cast.sql.format(text, type=schema_sql(TIMESTAMP))


def pattern_time(text: str, pattern: TimePattern) -> str:
    """The timestamp of a text of a pattern, which is UTC without an offset; null for texts that do not fit.

    It is made an ISO text first: Java's own patterns take signs, more digits of a year and quoted letters in
    another case, and no fraction that directly follows the seconds.

    Args:
        text: Spark SQL.
        pattern: compiled.
    """
    fitting = string_sql(pattern.java)
    return iso_time(
        f"if({text} RLIKE {fitting}, regexp_replace({text}, {fitting}, {string_sql(pattern.iso)}), NULL)"
    )
