"""deduplicate in Spark (`docs/semantics/deduplicate.md`): dropDuplicates, or dropDuplicatesWithinWatermark
for `within`.
"""

from typing import Final

from pyspark.sql import DataFrame

from jobs.engine.columns import column, quoted, shifted
from jobs.engine.operators.late_rows import lower_late_rows
from jobs.engine.rows import NO_WATERMARK, TIME, WATERMARK_COLUMN, Rows, row_order
from jobs.engine.session import sorts_batches
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.late_rows import PORT
from jobs.operators.relation import Relation

_CLOCK: Final = "_clock"  # event time plus slack: compared with the watermark


def lower(step: str, bound: DeduplicateBound, inputs: tuple[Rows, ...], output: Relation) -> dict[str, Rows]:
    """The first row of each key: in row order within a micro-batch, in order of arrival in real-time mode;
    late rows as the output `PORT`, where the step keeps them.
    """
    rows = inputs[0]
    made = {"": _first(bound, rows, output)}
    if bound.dead_letters:
        made[PORT] = lower_late_rows(step, rows, None, bound.slack)
    return made


def _first(bound: DeduplicateBound, rows: Rows, output: Relation) -> Rows:
    keys = [f"_key{i}" for i in range(len(bound.by))]
    ordered = _in_row_order(_keyed(bound, rows, keys), rows.relation, keys)
    first = (
        ordered.dropDuplicates([*keys, _CLOCK])
        if bound.within is None
        else ordered.dropDuplicatesWithinWatermark(keys)
    )
    system = tuple(name for name in rows.system if name != TIME and not name.startswith(("_id", "_index")))
    identity = {f"_id{i}": part for i, part in enumerate([*keys, TIME])}
    declared = [column(quoted(name)) for name in output.schema.names]
    kept = [column(quoted(name)) for name in system]
    ids = [column(part, name) for name, part in identity.items()]
    frame = first.select(*declared, column(TIME).alias(TIME, metadata=WATERMARK_COLUMN), *kept, *ids)
    return Rows(frame, output, (TIME, *system, *identity))


def _keyed(bound: DeduplicateBound, rows: Rows, keys: list[str]) -> DataFrame:
    """The rows with their keys, and the clock as the only column that is compared with the watermark."""
    slack = rows.relation.not_applied(bound.slack).us
    held = 0 if bound.within is None else bound.within.us // 1_000
    return rows.frame.select(
        *(column(quoted(name)) for name in rows.frame.columns if name != TIME),
        column(TIME).alias(TIME, metadata=NO_WATERMARK),
        column(shifted(TIME, slack)).alias(_CLOCK, metadata={"spark.watermarkDelayMs": held}),
        *(
            column(quoted(name)).alias(key, metadata=NO_WATERMARK)
            for key, name in zip(keys, bound.by, strict=True)
        ),
    )


def _in_row_order(keyed: DataFrame, relation: Relation, keys: list[str]) -> DataFrame:
    """All rows of a key in one sorted partition, so that Spark keeps the first in row order. Unchanged in
    real-time mode, which can't sort.
    """
    if not sorts_batches(keyed.sparkSession):
        return keyed
    return keyed.repartition(*map(column, keys)).sortWithinPartitions(*keys, *row_order(relation))


def state_operators(bound: DeduplicateBound) -> tuple[str, ...]:
    """Spark's names of the step's stateful operators."""
    return ("dedupe",) if bound.within is None else ("dedupeWithinWatermark",)
