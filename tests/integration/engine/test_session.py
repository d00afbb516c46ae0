"""What every query pays for a session: it skips the gateway's slow class search, which tries a name in every
package and jar, and broadcasts no defaults of services that there are not.
"""

from pathlib import Path
from typing import Any

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


def test_functions_are_sent_as_they_are(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    cleaner = jvm.java.lang.Class.forName("org.apache.spark.util.SparkClosureCleaner$")
    place = cleaner.getProtectionDomain().getCodeSource().getLocation().getPath()
    assert place.endswith("/jvm/build/weir.jar"), "Spark's own writes each function once more than it sends"


def test_pyspark_does_not_note_where_columns_are_made(spark: SparkSession) -> None:
    assert spark.conf.get("spark.python.sql.dataFrameDebugging.enabled") == "false"


def test_what_is_broadcast_for_each_step_with_state_holds_what_was_set_and_little_more(
    spark: SparkSession, tmp_path: Path
) -> None:
    session: Any = spark.newSession()
    broadcast = session._jsparkSession.sessionState().newHadoopConf()
    assert broadcast.size() < 200, "Hadoop read its defaults again: 1,100 properties"
    assert broadcast.get("fs.file.impl") == "weir.fs.NioLocalFileSystem"
    assert broadcast.get("fs.AbstractFileSystem.file.impl") == "weir.fs.NioAbstractFileSystem"
    assert broadcast.get("fs.AbstractFileSystem.hdfs.impl"), "a cluster's own file system is still found"
    spark.range(3).write.parquet(str(tmp_path / "rows"))
    assert spark.read.parquet(str(tmp_path / "rows")).count() == 3
    assert session._jsparkSession.sessionState().newHadoopConf().size() < 200, "not after it was used, either"
