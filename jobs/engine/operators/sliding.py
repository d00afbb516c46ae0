"""Sliding windows in Spark (`docs/semantics/windows.md#sliding`): transformWithState holds the rows, one
native aggregation computes the measures.

Spark has no window per event. Python workers see each row as its time and an opaque text; the rows that they
release are spread over windows and aggregated natively, so that measures mean the same as in other windows. A
window's struct closes at the watermark that releases its rows, so its result is written in the same batch.
"""

from pyspark import cloudpickle
from pyspark.sql import DataFrame

from jobs.base.durations import Duration
from jobs.engine.columns import column, shifted
from jobs.engine.operators import sliding_processor
from jobs.engine.operators.windows import WINDOW, Assigned
from jobs.engine.row_json import json_of_row, rows_from_json
from jobs.engine.rows import TIME, WATERMARK_COLUMN
from jobs.engine.spark_type_mapping import from_spark_type
from jobs.operators.data_driven_windows import SlidingSpec
from jobs.operators.identity_sql import identity_sql

cloudpickle.register_pickle_by_value(sliding_processor)  # type: ignore[no-untyped-call]


def slide(frame: DataFrame, window: SlidingSpec, slack: Duration, keys: int) -> Assigned:
    """Every row once for each window that contains it, with all columns of the frame.

    Args:
        frame: rows with their keys as ``_key0``, ….
        window: its size.
        slack: of the step, without what Spark already applies.
        keys: the number of keys.
    """
    types = {field.name: field.dataType for field in frame.schema}
    group = identity_sql([(f"_key{i}", from_spark_type(types[f"_key{i}"])) for i in range(keys)])
    texts = frame.select(
        column(group, "_group"),
        # A number instead of a timestamp: pandas timestamps end in the year 2262. Spark compares numbers with
        # the watermark, too.
        column(f"unix_micros({TIME}) + {slack.us}L").alias("_closes_at", metadata=WATERMARK_COLUMN),
        json_of_row(frame.columns).alias("_row"),
    )
    processor = sliding_processor.SlidingProcessor(window.size.us, slack.us)
    made = texts.groupBy("_group").transformWithStateInPandas(
        processor, sliding_processor.OUTPUT, "Append", "eventTime"
    )
    parsed = rows_from_json(frame.schema, "_rows").alias("_rows")
    windows = made.select(parsed, column("explode(arrays_zip(_times, _firsts, _counts))", "_one"))
    at = "timestamp_micros(_one._times)"
    struct = f"named_struct('start', {shifted(at, 1 - window.size.us)}, 'end', {shifted(at, slack.us)})"
    spread = windows.select(
        column(struct).alias(WINDOW, metadata=WATERMARK_COLUMN),
        column("explode(slice(_rows, _one._firsts + 1, _one._counts))", "_row"),
    )
    return Assigned(
        spread.select(WINDOW, "_row.*"), f"{WINDOW}.start", shifted(f"{WINDOW}.end", 1 - slack.us)
    )
