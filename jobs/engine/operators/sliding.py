"""Sliding windows in Spark (`docs/semantics/windows.md#sliding`): an operator of the JVM holds the rows, one
native aggregation computes the measures.

Spark has no window per event. The operator sees each row as its time and opaque bytes; the rows that it
releases, once for each of their windows, are aggregated natively, so that measures mean the same as in other
windows. A window's struct closes at the watermark that releases its rows, so its result is written in the
same batch.
"""

from pyspark.sql import DataFrame

from jobs.base.durations import Duration
from jobs.engine.columns import column, shifted
from jobs.engine.keyed_state import KEY, keep_state, packed, packed_row, unpacked
from jobs.engine.operators.windows import WINDOW, Assigned
from jobs.engine.rows import TIME, WATERMARK_COLUMN
from jobs.operators.data_driven_windows import SlidingSpec


def slide(frame: DataFrame, window: SlidingSpec, slack: Duration, keys: int) -> Assigned:
    """Every row once for each window that contains it, with all columns of the frame.

    Args:
        frame: rows with their keys as ``_key0``, ….
        window: its size.
        slack: of the step, without what Spark already applies.
        keys: the number of keys.
    """
    held = frame.select(
        column(packed([f"_key{i}" for i in range(keys)]), KEY),
        column(f"unix_micros({TIME})", "_at"),
        packed_row(frame, "_row"),
        column(f"unix_micros({TIME}) + {slack.us}L").alias("_closes_at", metadata=WATERMARK_COLUMN),
    )
    made = keep_state(held, "SlidingWindows", window.size.us, slack.us, by_time=True)
    at = "timestamp_micros(_window_at)"
    struct = f"named_struct('start', {shifted(at, 1 - window.size.us)}, 'end', {shifted(at, slack.us)})"
    spread = made.select(
        column(struct).alias(WINDOW, metadata=WATERMARK_COLUMN),
        column(unpacked(frame.schema.json(), "_row"), "_row"),
    )
    return Assigned(
        spread.select(WINDOW, "_row.*"), f"{WINDOW}.start", shifted(f"{WINDOW}.end", 1 - slack.us)
    )
