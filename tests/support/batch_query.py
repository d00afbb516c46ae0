"""A streaming query over fixed batches, without a broker: one file per source and batch, one run per batch.

Every batch is a restart from the checkpoint, so what passes here is restart-safe as well.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

NO_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"

Frames = Mapping[str, DataFrame]


class BatchQuery:
    """Feeds one query batch by batch and gives back what each batch put out.

    Args:
        spark: a session; the query gets one of its own.
        folder: for input files and the checkpoint.
        sources: by name, the DDL of its records.
        build: from the sources' streaming frames, watermarks not yet set, to the frame to run.
        mode: output mode.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        sources: Mapping[str, str],
        build: Callable[[Frames], DataFrame],
        mode: str = "append",
    ) -> None:
        self._session = spark.newSession()
        self._session.conf.set("spark.sql.shuffle.partitions", "1")
        self._folder = folder
        self._sources = dict(sources)
        self._build = build
        self._mode = mode
        self._written = 0
        self.progress: list[dict[str, Any]] = []
        for name in sources:
            (folder / name).mkdir(parents=True)

    def batch(self, records: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """Run one batch with these records.

        Without any, an empty batch, as Spark runs one for a moved watermark.
        """
        for name, rows in (records or {next(iter(self._sources)): []}).items():
            path = self._folder / name / f"{self._written:04}.json"
            # After a restart Spark runs no batch without new input, so an empty one reads a blank line.
            path.write_text("".join(json.dumps(row) + "\n" for row in rows) or "\n")
        self._written += 1
        self._session.conf.set(NO_DATA, "false")
        out: list[dict[str, Any]] = []

        def keep(frame: DataFrame, batch: int) -> None:
            out.extend(json.loads(row[0]) for row in frame.select(F.to_json(F.struct("*"))).collect())

        frames = {
            name: self._session.readStream.schema(ddl).json(str(self._folder / name))
            for name, ddl in self._sources.items()
        }
        query = (
            self._build(frames)
            .writeStream.foreachBatch(keep)
            .outputMode(self._mode)
            .option("checkpointLocation", str(self._folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        self.progress += [json.loads(progress.json) for progress in query.recentProgress]
        return out
