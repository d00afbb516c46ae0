"""Spark's behaviour that the processors of stand-alone scripts rely on.

`transformWithState` from Python works beside an aggregate in update mode, a processor sees the watermark that
closes windows in its batch, and a number can serve as the watermark column.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from jobs.engine.rows import WATERMARK_COLUMN
from tests.support.batch_query import BatchQuery, Frames

pytestmark = pytest.mark.integration

OUTPUT = "k STRING, what STRING, at BIGINT, mark BIGINT"
Seen = list[tuple[str, int, int]]


class Witness(StatefulProcessor):
    """Says what it sees: each row with the watermark, and a timer that was set to the time of each row."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        for frame in rows:
            for at in frame.iloc[:, 2].tolist():
                self._handle.registerTimer(at)
                yield self._said(key, "row", at, timerValues)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        yield self._said(key, "timer", expiredTimerInfo.getExpiryTimeInMs(), timerValues)

    def _said(self, key: Any, what: str, at: int, times: Any) -> pd.DataFrame:
        return pd.DataFrame(
            {"k": [key[0]], "what": [what], "at": [at], "mark": [times.getCurrentWatermarkInMs()]}
        )

    def close(self) -> None:
        pass


@pytest.fixture(scope="module", autouse=True)
def _by_value() -> Iterator[None]:
    """Workers cannot import tests."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


def witnessed(frames: Frames, mode: str = "Append") -> DataFrame:
    """Rows (k, at in ms) through a witness; the watermarked column is a number of microseconds."""
    timed = frames["s"].withColumn("t", F.expr("timestamp_millis(at)")).withWatermark("t", "0 seconds")
    marked = timed.select("k", F.expr("unix_micros(t)").alias("closes_at", metadata=WATERMARK_COLUMN), "at")
    return marked.groupBy("k").transformWithStateInPandas(Witness(), OUTPUT, mode, "eventTime")


def seen(out: list[dict[str, Any]]) -> Seen:
    return sorted((row["what"], row["at"], row["mark"]) for row in out)


def rows(*times: int, k: str = "a") -> dict[str, list[dict[str, Any]]]:
    return {"s": [{"k": k, "at": at} for at in times]}


def test_beside_an_aggregate_in_update_mode(spark: SparkSession, tmp_path: Path) -> None:
    def build(frames: Frames) -> DataFrame:
        timed = frames["s"].withColumn("t", F.expr("timestamp_millis(at)")).withWatermark("t", "0 seconds")
        counted = timed.groupBy(F.window("t", "1 second")).agg(F.count("*").alias("at"))
        beside = witnessed(frames, "Update").where("what = 'row'")
        return counted.select(F.lit("count").alias("what"), "at", F.lit(0).alias("mark")).unionByName(
            beside.select("what", "at", "mark")
        )

    query = BatchQuery(spark, tmp_path / "script", {"s": "k STRING, at BIGINT"}, build, "update")
    assert seen(query.batch(rows(1_000))) == [("count", 1, 0), ("row", 1_000, 0)]
    assert seen(query.batch(rows(1_500))) == [("count", 2, 0), ("row", 1_500, 1_000)]
