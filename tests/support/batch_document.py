"""A job document over fixed batches, without a broker.

Decoding, lowering and result records are the engine's.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.lowering import is_final, lower_plan, output_records
from jobs.engine.sinks.kafka import record_columns
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.support.batch_query import BatchQuery, Frames

RECORDS = "at_us LONG, key STRING, value STRING, partition INT, offset LONG"
NO_HEADERS = "cast(null AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"

Record = tuple[float, Any] | tuple[float, Any, Any]
"""Kafka timestamp in seconds, value (None: a tombstone) and, if needed, key; both are written as JSON."""


class BatchDocument:
    """Feeds one document batch by batch.

    Args:
        spark: a session.
        folder: for input files and the checkpoint.
        document: the job document.
        contracts: by registered name.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        document: Mapping[str, Any],
        contracts: Mapping[str, StreamContract],
    ) -> None:
        plan = plan_job(document, contracts)
        assert plan.ok, plan.problems
        self._offsets = dict.fromkeys(document["sources"], 0)

        def build(frames: Frames) -> DataFrame:
            raw = {name: _raw(frame) for name, frame in frames.items()}
            records = output_records(
                plan,
                lower_plan(plan, raw),
                lambda sink, rows: record_columns(rows, 1, None, names=sink.names),
            )
            return records.select(
                F.expr("cast(key AS STRING) AS key"), F.expr("cast(value AS STRING) AS value")
            )

        mode = "append" if is_final(plan) else "update"
        self.query = BatchQuery(spark, folder, dict.fromkeys(document["sources"], RECORDS), build, mode)

    def batch(self, **records: list[Record]) -> dict[str, dict[str, Any] | None]:
        """One batch with these records by source: what came out, by identity; None is a tombstone."""
        written = {name: [self._record(name, record) for record in rows] for name, rows in records.items()}
        out = self.query.batch(written)
        found = {row["key"]: json.loads(row["value"]) if "value" in row else None for row in out}
        assert len(found) == len(out), "an identity came twice in one batch"
        return found

    def _record(self, source: str, record: Record) -> dict[str, Any]:
        seconds, value, *key = record
        row: dict[str, Any] = {
            "at_us": round(seconds * 1_000_000),
            "partition": 0,
            "offset": self._offsets[source],
        }
        self._offsets[source] += 1
        if value is not None:
            row["value"] = value if isinstance(value, str) else json.dumps(value)
        if key:
            row["key"] = key[0] if isinstance(key[0], str) else json.dumps(key[0])
        return row


def _raw(frame: DataFrame) -> DataFrame:
    """Kafka's own columns."""
    return frame.select(
        F.expr("cast(key AS BINARY) AS key"),
        F.expr("cast(value AS BINARY) AS value"),
        F.expr("'t' AS topic"),
        F.expr("partition"),
        F.expr("offset"),
        F.expr("timestamp_micros(at_us) AS timestamp"),
        F.expr(f"{NO_HEADERS} AS headers"),
    )
