"""Sliding windows in Spark (`docs/semantics/windows.md#sliding`): an operator of the JVM holds the rows, one
native aggregation computes the measures.

Spark has no window per event. The operator sees each row as its time and opaque bytes; the rows that it
releases, once for each of their windows, are aggregated natively, so that measures mean the same as in other
windows. A window's struct closes at the watermark that releases its rows, so its result is written in the
same batch.
"""

from pyspark.sql import DataFrame

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted, shifted
from jobs.engine.keyed_state import declared_from, keep_state, key_column, stored_rows
from jobs.engine.operators.windows import WINDOW, Assigned
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows
from jobs.operators.data_driven_windows import SlidingSpec


def slide(rows: Rows, frame: DataFrame, window: SlidingSpec, slack: Duration, keys: int) -> Assigned:
    """Every row once for each window that contains it, with all columns of the frame.

    Args:
        rows: the step's input.
        frame: the same rows with their keys as ``_key0``, ….
        window: its size.
        slack: of the step, without what Spark already applies.
        keys: the number of keys.
    """
    whole = stored_rows(rows, frame)
    held = frame.select(
        key_column([f"_key{i}" for i in range(keys)]),
        column(f"unix_micros({TIME})", "_at"),
        column(whole.packed, "_row"),
        column(f"unix_micros({TIME}) + {slack.us}L").alias("_closes_at", metadata=WATERMARK_COLUMN),
    )
    made = keep_state(held, "SlidingWindows", window.size.us, slack.us, by_time=True)
    at = "timestamp_micros(_window_at)"
    struct = f"named_struct('start', {shifted(at, 1 - window.size.us)}, 'end', {shifted(at, slack.us)})"
    spread = made.select(
        column(struct).alias(WINDOW, metadata=WATERMARK_COLUMN),
        whole.unpacked("_row"),
    )
    more = [column(f"_row.{quoted(name)}", name) for name in whole.names if name not in rows.relation.schema]
    return Assigned(
        spread.select(WINDOW, *declared_from(rows, "_row"), *more),
        f"{WINDOW}.start",
        shifted(f"{WINDOW}.end", 1 - slack.us),
    )
