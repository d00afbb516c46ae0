"""A plan over scripted batches, without a broker.

Records come from files, rows and ports come back per batch.

The lowering is the engine's own; only source and sink are replaced.
"""

import json
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from jobs.engine.columns import column, quoted
from jobs.engine.lowering import is_final
from jobs.engine.operators import LOWERINGS
from jobs.engine.rows import DELETED, TIME, Rows, row_identity
from jobs.engine.sinks.kafka import row_json_sql
from jobs.engine.sources.kafka import SYSTEM
from jobs.engine.spark_type_mapping import from_spark_type
from jobs.expressions.spark_types import schema_sql
from jobs.operators.identity_sql import identity_sql
from jobs.plan import Plan, SourceBound
from tests.support.batch_query import BatchQuery, Frames

Record = tuple[
    int, dict[str, Any]
]  # event time in µs, values; of a table with _deleted: true where the key goes
Shown = tuple[str, str, dict[str, Any] | None]  # output, identity, row or tombstone


class BatchPlan:
    """Runs a checked plan batch by batch.

    Args:
        spark: a session.
        folder: for input files and the checkpoint.
        plan: without errors.
        outputs: references whose rows are returned; default: those of the plan.
    """

    def __init__(self, spark: SparkSession, folder: Path, plan: Plan, outputs: tuple[str, ...] = ()) -> None:
        self._plan = plan
        self._outputs = outputs or plan.outputs
        self._offsets = {node.name: 0 for node in plan.live_nodes if isinstance(node.bound, SourceBound)}
        ddl = {name: self._ddl(name) for name in self._offsets}
        self.query = BatchQuery(spark, folder, ddl, self._build, "append" if is_final(plan) else "update")

    def batch(self, records: Mapping[str, list[Record]]) -> list[Shown]:
        """Each output's rows of one batch; without records, the empty batch after a moved watermark."""

        written = {
            name: [self._record(name, *record) for record in rows] for name, rows in records.items() if rows
        }
        out = self.query.batch(written)
        return [(row["output"], row["id"], json.loads(row["row"]) if "row" in row else None) for row in out]

    @property
    def late(self) -> int:
        """What Spark has counted as late."""
        states = [state for progress in self.query.progress for state in progress["stateOperators"]]
        return sum(state["numRowsDroppedByWatermark"] for state in states)

    def _ddl(self, name: str) -> str:
        fields = ", ".join(
            f"{quoted(field.name)} {schema_sql(field.type)}" for field in self._plan.node(name).output.schema
        )
        return f"{fields}, _deleted BOOLEAN, _us BIGINT, _offset BIGINT"

    def _record(self, name: str, us: int, values: dict[str, Any]) -> dict[str, Any]:
        self._offsets[name] += 1
        return {**values, "_us": us, "_offset": self._offsets[name] - 1}

    def _build(self, frames: Frames) -> DataFrame:
        made: dict[str, Rows] = {}
        for node in self._plan.live_nodes:
            if isinstance(node.bound, SourceBound):
                made[node.name] = self._source(node.name, node.bound, frames[node.name])
                continue
            lowered = LOWERINGS[node.op](
                node.name, node.bound, tuple(made[name] for name in node.inputs), node.output
            )
            flows = lowered if isinstance(lowered, dict) else {"": lowered}
            made.update({f"{node.name}.{port}" if port else node.name: rows for port, rows in flows.items()})
        return reduce(
            DataFrame.unionByName, [_shown(reference, made[reference]) for reference in self._outputs]
        )

    def _source(self, name: str, bound: SourceBound, frame: DataFrame) -> Rows:
        timed = frame.withColumn(TIME, column("timestamp_micros(_us)"))
        contract = bound.contract
        marked = (
            timed
            if contract.delay is None
            else timed.withWatermark(TIME, f"{contract.delay_duration.us} microseconds")
        )
        relation = self._plan.node(name).output
        fields = [column(quoted(field.name)) for field in relation.schema]
        system = ["_time", "_time AS _timestamp", f"'{name}' AS _source", "0 AS _partition", "_offset"]
        if contract.kind == "table":
            own = [DELETED, *(f"_id{i}" for i in range(len(contract.key)))]
            system += [
                "coalesce(_deleted, false) AS _deleted",
                *(f"{quoted(key)} AS _id{i}" for i, key in enumerate(contract.key)),
            ]
            return Rows(marked.select(*fields, *(column(text) for text in system)), relation, (*SYSTEM, *own))
        return Rows(marked.select(*fields, *(column(text) for text in system)), relation, SYSTEM)


def _shown(reference: str, rows: Rows) -> DataFrame:
    types = rows.frame.schema
    key = identity_sql(
        [(quoted(name), from_spark_type(types[name].dataType)) for name in row_identity(rows.relation)]
    )
    value = row_json_sql(rows.relation)
    if DELETED in rows.system:
        value = f"if({quoted(DELETED)}, NULL, {value})"
    return rows.frame.select(column(f"'{reference}'", "output"), column(key, "id"), column(value, "row"))
