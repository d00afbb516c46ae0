"""Windows in Spark (`docs/semantics/windows.md`): every row gets a struct ``_window`` (start, end), by which
Spark groups rows and closes windows.

Its `end` is where the window closes: the window's own end plus the slack. The column's metadata marks it as
the watermarked one, so that Spark drops late rows and closes windows by it in both output modes.
"""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted, shifted
from jobs.engine.rows import TIME, WATERMARK_COLUMN
from jobs.operators.calendar_sql import calendar_bounds
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.windows import AnyWindow, WindowSpec

WINDOW: Final = "_window"


@dataclass(frozen=True, slots=True)
class Assigned:
    """Rows with their window.

    Attributes:
        frame: the rows with ``_window``, each once per window.
        start: Spark SQL of the window's own start, over ``_window``.
        end: Spark SQL of the window's own end, without slack.
    """

    frame: DataFrame
    start: str
    end: str


def assign(frame: DataFrame, window: AnyWindow, slack: Duration) -> Assigned:
    """Put every row into its windows; `sliding` does so for sliding windows, which need state."""
    match window:
        case WindowSpec():
            return _hopping(frame, window, slack)
        case CalendarSpec():
            start, end = calendar_bounds(TIME, window)
            return closing_at(frame, start, end, slack)
        case SessionSpec():
            return _session(frame, window, slack)
        case SlidingSpec():
            raise TypeError("sliding windows need state")


def closing_at(frame: DataFrame, start: str, end: str, slack: Duration) -> Assigned:
    """The rows with the window of these bounds, which closes `slack` after its end."""
    struct = f"named_struct('start', {start}, 'end', {shifted(end, slack.us)})"
    return Assigned(_marked(frame, struct), f"{WINDOW}.start", shifted(f"{WINDOW}.end", -slack.us))


def _hopping(frame: DataFrame, window: WindowSpec, slack: Duration) -> Assigned:
    size, advance, offset = (
        f"{duration.us} microseconds" for duration in (window.size, window.advance, window.offset)
    )
    assigned = frame.withColumn(WINDOW, F.window(F.col(TIME), size, advance, offset))
    if slack.us == 0:
        return Assigned(assigned, f"{WINDOW}.start", f"{WINDOW}.end")
    kept = frame.columns
    closing = closing_at(assigned, f"{WINDOW}.start", f"{WINDOW}.end", slack)
    return Assigned(closing.frame.select(*map(quoted, kept), WINDOW), closing.start, closing.end)


def _session(frame: DataFrame, window: SessionSpec, slack: Duration) -> Assigned:
    """Sessions of times that are shifted by the slack, so that they close later; `start` and `end` are
    shifted back.
    """
    at = F.col(TIME)
    if slack.us:
        frame = frame.select(
            "*", column(shifted(TIME, slack.us)).alias("_closing", metadata=WATERMARK_COLUMN)
        )
        at = F.col("_closing")
    made = F.session_window(at, f"{window.gap.us} microseconds").alias(WINDOW)
    return Assigned(
        frame.select("*", made), shifted(f"{WINDOW}.start", -slack.us), shifted(f"{WINDOW}.end", -slack.us)
    )


def _marked(frame: DataFrame, struct: str) -> DataFrame:
    kept = [column(quoted(name)) for name in frame.columns if name != WINDOW]
    return frame.select(*kept, column(struct).alias(WINDOW, metadata=WATERMARK_COLUMN))
