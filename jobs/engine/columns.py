"""The only door from text to Spark: re-emitted expressions and text written by this folder become columns here.

Text of users never arrives: `jobs.expressions` has parsed, checked and written it anew.
"""

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.expressions.spark_types import quoted

_DAY_US = 86_400_000_000


def column(sql: str, name: str | None = None) -> Column:
    """A column of this Spark SQL text, named when a name is given."""
    made = F.expr(sql)
    return made if name is None else made.alias(name)


def text_literal(text: str) -> str:
    """A Spark SQL string literal with exactly this text."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def shifted(instant: str, us: int) -> str:
    """A timestamp moved by this many microseconds; moved by none it stays what it is, with the marks of its column."""
    return f"timestamp_micros(unix_micros({instant}) + {us}L)" if us else instant


def interval(duration: Duration) -> str:
    """A duration as a Spark literal, from which Spark can tell bounds of time."""
    days, rest = divmod(abs(duration.us), _DAY_US)
    seconds, us = divmod(rest, 1_000_000)
    sign = "-" if duration.us < 0 else ""
    return f"INTERVAL '{sign}{days} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us:06}' DAY TO SECOND"


def any_of(conditions: Sequence[str]) -> str:
    """True when one of these never-null booleans is; ``false`` for none."""
    return " OR ".join(f"({condition})" for condition in conditions) or "false"


__all__ = ["any_of", "column", "interval", "quoted", "shifted", "text_literal"]
