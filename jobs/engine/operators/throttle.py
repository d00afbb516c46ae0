"""throttle in Spark (`docs/semantics/throttle.md`): an operator of the JVM holds rows and says which
pass.
"""

from jobs.engine.columns import column, quoted
from jobs.engine.keyed_state import Stored, declared_from, keep_state, key_column, stored_rows, system_from
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows, row_identity
from jobs.operators.relation import Relation
from jobs.operators.throttle import ThrottleBound


def lower(step: str, bound: ThrottleBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per key and interval, once the watermark has passed it."""
    rows = inputs[0]
    slack = rows.relation.not_applied(bound.slack).us
    rank, whole = Stored(rows.frame, row_identity(rows.relation)), stored_rows(rows)
    held = rows.frame.select(
        key_column([quoted(name) for name in bound.by]),
        column(f"unix_micros({TIME})", "_at"),
        column(rank.packed, "_rank"),
        column(whole.packed, "_row"),
        column(f"unix_micros({TIME}) + {slack}L").alias("_closes_at", metadata=WATERMARK_COLUMN),
    )
    made = keep_state(held, "Throttle", bound.every.us, slack, bound.last, rank.schema, by_time=True)
    parsed = made.select(whole.unpacked("_row"))
    return Rows(parsed.select(*declared_from(rows, "_row"), *system_from(rows, "_row")), output, rows.system)


def state_operators(bound: ThrottleBound) -> tuple[str, ...]:  # noqa: ARG001
    """Spark's names of the step's stateful operators."""
    return ("transformWithStateExec",)
