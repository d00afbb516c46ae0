"""change as Spark SQL (`docs/semantics/change.md`): the windows in which a row counts, and the difference to
the previous window.
"""

import re
from typing import Final

from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.sql_times import shifted
from jobs.operators.calendar_sql import calendar_bounds
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.change_bound import PREVIOUS, VALUE, ChangeBound, Changed
from jobs.operators.windows import WindowSpec

_OPERAND: Final = re.compile(f"{quoted(VALUE)}|{quoted(PREVIOUS)}")


def places_sql(bound: ChangeBound, time: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Spark SQL of start and end of the window that contains an instant, and of the next window, in which the
    row counts as a row of the previous one.
    """
    match bound.of.window:
        case WindowSpec(size, _, offset):
            past_start = f"pmod(unix_micros({time}) - {offset.us}L, {size.us}L)"
            start = f"timestamp_micros(unix_micros({time}) - {past_start})"
            end, after = shifted(start, size.us), shifted(start, 2 * size.us)
            return (start, end), (end, after)
        case CalendarSpec() as window:
            start, end = calendar_bounds(time, window)
            return (start, end), calendar_bounds(end, window)
        case _:
            raise TypeError("change needs windows that follow each other")


def difference_sql(i: int, changed: Changed, missing: str) -> tuple[str, str, str]:
    """Spark SQL of previous value, difference and percentage of a measure, over ``_rows_before`` and
    ``_previous<i>``. `missing` (null or zero) is the previous value if the previous window had no rows.
    """
    nothing = f"cast({'0' if missing == 'zero' else 'NULL'} AS {schema_sql(changed.measure.type)})"
    previous = f"if(_rows_before > 0, _previous{i}, {nothing})"
    value = quoted(changed.measure.name)
    written = {quoted(VALUE): value, quoted(PREVIOUS): f"({previous})"}
    delta = _over(written, changed.delta.sql)
    percent = f"100D * cast({delta} AS DOUBLE) / nullif(abs(cast({previous} AS DOUBLE)), 0D)"
    return previous, delta, percent


def failures_sql(changed: Changed) -> list[str]:
    """Spark SQL, never null and over a result row, of the conditions under which the difference fails."""
    before = changed.fields[0].name
    written = {quoted(VALUE): quoted(changed.measure.name), quoted(PREVIOUS): quoted(before)}
    return [_over(written, failure) for failure in changed.delta.failures]


def _over(written: dict[str, str], sql: str) -> str:
    return _OPERAND.sub(lambda found: written[found[0]], sql)
