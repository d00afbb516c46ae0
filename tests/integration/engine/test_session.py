"""Starting a query skips the gateway's slow class search, which tries a name in every package and jar."""

import pytest
from py4j.java_gateway import JVMView
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column
from jobs.engine.rows import NO_WATERMARK

pytestmark = pytest.mark.integration


def test_columns_and_frames_look_no_class_up(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = JVMView.__getattr__

    def asking(view: JVMView, name: str) -> object:
        asked.append(name)
        return ask(view, name)

    monkeypatch.setattr(JVMView, "__getattr__", asking)
    frame = (
        spark.newSession()
        .range(3)
        .select(column("id + 1", "next"), F.col("id").alias("same", metadata=NO_WATERMARK))
    )
    grouped = frame.where(column("next > 1")).groupBy("same").agg(F.max("next"))
    assert grouped.columns == ["same", "max(next)"]
    assert asked == []


def test_pyspark_does_not_note_where_columns_are_made(spark: SparkSession) -> None:
    assert spark.conf.get("spark.python.sql.dataFrameDebugging.enabled") == "false"
