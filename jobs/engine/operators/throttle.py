"""throttle in Spark (`docs/semantics/throttle.md`): transformWithState holds rows and decides which pass."""

from pyspark import cloudpickle

from jobs.engine.columns import column, quoted
from jobs.engine.operators import row_rank, throttle_processor
from jobs.engine.row_json import json_of_row, row_from_json
from jobs.engine.rows import TIME, WATERMARK_COLUMN, Rows, row_identity
from jobs.engine.spark_type_mapping import from_spark_type
from jobs.operators.identity_sql import identity_sql
from jobs.operators.relation import Relation
from jobs.operators.throttle import ThrottleBound

cloudpickle.register_pickle_by_value(row_rank)  # type: ignore[no-untyped-call]
cloudpickle.register_pickle_by_value(throttle_processor)  # type: ignore[no-untyped-call]


def lower(step: str, bound: ThrottleBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per key and interval, once the watermark has passed it."""
    rows = inputs[0]
    slack = rows.relation.not_applied(bound.slack).us
    keys = [(quoted(field.name), field.type) for field in rows.relation.schema if field.name in bound.by]
    identity = [
        (name, from_spark_type(rows.frame.schema[name].dataType)) for name in row_identity(rows.relation)
    ]
    texts = rows.frame.select(
        column(identity_sql(keys), "_key"),
        column(f"unix_micros({TIME})", "_at"),
        column(identity_sql(identity, ranked=True), "_order_key"),
        json_of_row(rows.frame.columns).alias("_row"),
        # A number instead of a timestamp: pandas timestamps end in the year 2262. Spark compares numbers with
        # the watermark, too.
        column(f"unix_micros({TIME}) + {slack}L").alias("_closes_at", metadata=WATERMARK_COLUMN),
    )
    processor = throttle_processor.ThrottleProcessor(bound.every.us, slack, bound.last)
    made = texts.groupBy("_key").transformWithStateInPandas(
        processor, throttle_processor.OUTPUT, "Append", "eventTime"
    )
    parsed = made.select(row_from_json(rows.frame.schema, "_row").alias("_r"))
    declared, system = rows.from_struct("_r")
    return Rows(parsed.select(*declared, *system), output, rows.system)
