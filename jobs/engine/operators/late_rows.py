"""Late rows in Spark (`docs/semantics/late-rows.md`): when a row is late, and the late output of a step.

Spark only counts the rows that it drops. A copy of the step's input therefore goes through an operator of the
JVM beside the main path: there no row is late for Spark, because the watermarked column lies in the far
future, and the operator compares rows with the watermark of the previous batch.
"""

from typing import Final

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted, shifted
from jobs.engine.keyed_state import declared_from, keep_late_rows, stored_rows
from jobs.engine.observation import Metrics, observed
from jobs.engine.observed_metrics import LATE
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows, row_identity
from jobs.expressions.texts_sql import string_sql
from jobs.operators.calendar_sql import calendar_bounds
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.late_rows import late_relation
from jobs.operators.windows import AnyWindow, WindowSpec

_FAR: Final = 2**62  # after every instant


def late_from(window: AnyWindow | None, slack: Duration) -> str:
    """Spark SQL of the instant at which the watermark makes a row late: the end of its last window plus the
    slack; without windows (None), and for sliding ones, the row's own time plus the slack.
    """
    match window:
        case WindowSpec(size, advance, offset):
            newest = f"unix_micros({TIME}) - pmod(unix_micros({TIME}) - {offset.us}L, {advance.us}L)"
            return f"timestamp_micros({newest} + {size.us + slack.us}L)"
        case CalendarSpec():
            return shifted(calendar_bounds(TIME, window)[1], slack.us)
        case SessionSpec(gap):
            return shifted(TIME, gap.us + slack.us)
        case SlidingSpec() | None:
            return shifted(TIME, slack.us)


def lower_late_rows(step: str, rows: Rows, window: AnyWindow | None, slack: Duration) -> Rows:
    """The late output of a step: the input rows that are late for all their windows.

    Args:
        step: its name.
        rows: its input.
        window: of the step; None: it has none.
        slack: of the step.
    """
    output = late_relation(rows.relation)
    # Behind a join the operator sees the watermark that Spark holds back there, as the main path does.
    held_back = rows.relation.spark_slack.us
    watermark = f"(_late_watermark + {held_back}L)" if held_back else "_late_watermark"
    session = rows.frame.sparkSession
    shares = int(session.conf.get("spark.sql.shuffle.partitions") or "1")
    identity = ", ".join(map(quoted, row_identity(rows.relation)))
    whole = stored_rows(rows)
    tagged = rows.frame.select(
        column(f"cast(pmod(hash({identity}), {shares}) AS INT)", "_share"),
        column(f"unix_micros({late_from(window, rows.relation.not_applied(slack))})", "_closes_at"),
        column(whole.packed, "_late"),
        column(f"{_FAR}L").alias("_never", metadata=WATERMARK_COLUMN),
    )
    known = session.range(0, shares, 1, 1).select(column("cast(id AS INT)", "_share"))
    kept = keep_late_rows(tagged, known).withColumnRenamed("_row", "_late")
    made = observed(kept, [Metrics(f"{LATE}{step}", {"rows": "count(1)"})])
    parsed = made.select(whole.unpacked("_late"), "_late_watermark")
    added = [
        column(string_sql(step), "late_step"),
        column(f"timestamp_micros({watermark})", "late_watermark"),
        column(f"{watermark} - {slack.us}L - unix_micros(_late.{quoted(TIME)})", "late_by"),
    ]
    system = [column(f"_late.{quoted(name)}", name) for name in rows.system]
    return Rows(parsed.select(*declared_from(rows, "_late"), *added, *system), output, rows.system)
