"""Instants and spans of time as Spark SQL."""

from jobs.base.durations import Duration
from jobs.base.time_units import DAY_US, SECOND_US


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
