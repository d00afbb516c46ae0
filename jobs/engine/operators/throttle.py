"""throttle in Spark (`docs/semantics/throttle.md`): an operator of the JVM holds rows and says which
pass.
"""

from jobs.engine.columns import column, quoted
from jobs.engine.keyed_state import KEY, keep_state, packed, packed_row, unpacked
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows, row_identity
from jobs.operators.relation import Relation
from jobs.operators.throttle import ThrottleBound


def lower(step: str, bound: ThrottleBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per key and interval, once the watermark has passed it."""
    rows = inputs[0]
    slack = rows.relation.not_applied(bound.slack).us
    rank = list(map(quoted, row_identity(rows.relation)))
    held = rows.frame.select(
        column(packed([quoted(name) for name in bound.by]), KEY),
        column(f"unix_micros({TIME})", "_at"),
        column(packed(rank), "_rank"),
        packed_row(rows.frame, "_row"),
        column(f"unix_micros({TIME}) + {slack}L").alias("_closes_at", metadata=WATERMARK_COLUMN),
    )
    ranks = rows.frame.select(*rank).schema.json()
    made = keep_state(held, "Throttle", bound.every.us, slack, bound.last, ranks, by_time=True)
    parsed = made.select(column(unpacked(rows.frame.schema.json(), "_row"), "_r"))
    declared, system = rows.from_struct("_r")
    return Rows(parsed.select(*declared, *system), output, rows.system)
