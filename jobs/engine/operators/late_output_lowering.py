"""The late port in Spark (`docs/semantics/late-rows.md`): transformWithState finds late rows beside the main
path.

Spark only counts what it refuses. Here the same rows run past a step that never refuses any (its watermarked
column lies in the far future) and knows the watermark of the batch before.
"""

from typing import Final

from pyspark import cloudpickle

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted, text_literal
from jobs.engine.operators import late_processor
from jobs.engine.row_json import json_of_row, row_from_json
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows, row_identity
from jobs.operators.relation import Relation

cloudpickle.register_pickle_by_value(late_processor)  # type: ignore[no-untyped-call]

_FAR: Final = 2**62  # after every instant


def lower_late_output(step: str, rows: Rows, last_closing: str, slack: Duration, output: Relation) -> Rows:
    """The rows of `rows` that are late for all windows of a step.

    Args:
        step: its name.
        rows: its input.
        last_closing: Spark SQL of the instant from which on a row is late.
        slack: of the step.
        output: the checked relation of the port.
    """
    session = rows.frame.sparkSession
    shares = int(session.conf.get("spark.sql.shuffle.partitions") or "1")
    identity = ", ".join(map(quoted, row_identity(rows.relation)))
    texts = rows.frame.select(
        column(f"cast(pmod(hash({identity}), {shares}) AS INT)", "_share"),
        column(f"{_FAR}L").alias("_never", metadata=WATERMARK_COLUMN),
        column(f"unix_micros({last_closing})", "_closes_at"),
        json_of_row(rows.frame.columns).alias("_row"),
    )
    known = session.range(0, shares, 1, 1).select(column("cast(id AS INT)", "_share")).groupBy("_share")
    made = texts.groupBy("_share").transformWithStateInPandas(
        late_processor.LateProcessor(), late_processor.OUTPUT, "Append", "eventTime", initialState=known
    )
    parsed = made.select(row_from_json(rows.frame.schema, "_row").alias("_late"), "_late_watermark")
    kept = [column(f"_late.{quoted(field.name)}", field.name) for field in rows.relation.schema]
    added = [
        column(text_literal(step), "late_step"),
        column("timestamp_micros(_late_watermark)", "late_watermark"),
        column(f"_late_watermark - {slack.us}L - unix_micros(_late.{quoted(TIME)})", "late_by"),
    ]
    system = [column(f"_late.{quoted(name)}", name) for name in rows.system]
    return Rows(parsed.select(*kept, *added, *system), output, rows.system)
