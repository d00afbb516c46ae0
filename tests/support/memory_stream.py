"""Streaming rows in the JVM's memory: a source that is fed batch by batch, and what a memory sink has taken.

A batch costs no file, no listing of a folder, and no broadcast of Hadoop's configuration.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming import StreamingQuery

from jobs.engine.play.jvm_rows import jvm_rows, row_classes


class MemoryStream:
    """A source whose every `add` is one batch of a query that reads nothing else.

    Args:
        spark: the session of the query.
        schema: DDL of the rows: names, each with a type of one word.
    """

    def __init__(self, spark: SparkSession, schema: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._spark, self._classes = spark, row_classes(jvm)
        self._types = dict(column.split() for column in schema.split(", "))
        # As texts, since the gateway makes an Integer of every number that fits one.
        texts = self._classes.types.fromDDL(", ".join(f"{name} STRING" for name in self._types))
        self._stream = self._classes.stream.apply(spark._jsparkSession, 1, self._classes.encoders.row(texts))

    def frame(self) -> DataFrame:
        """The streaming rows."""
        texts = DataFrame(self._stream.toDF(), self._spark)
        return texts.select(*(F.col(name).cast(type_).alias(name) for name, type_ in self._types.items()))

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """One batch; a field that a row lacks is null. No rows: a batch that reads nothing."""
        written = [
            [None if row.get(name) is None else str(row[name]) for name in self._types] for row in rows
        ]
        self._stream.addData(self._classes.seq.toSeq(jvm_rows(self._classes, written)))


def written_rows(query: StreamingQuery, batch: int) -> Sequence[dict[str, Any]]:
    """What the memory sink of a query took in a batch and those after it, without planning a query for it."""
    found = query._jsq.streamingQuery().sink().dataSinceBatch(batch - 1)
    return [json.loads(found.apply(index).json()) for index in range(found.length())]
