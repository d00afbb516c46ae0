"""Streaming rows in the JVM's memory: a source that is fed batch by batch, and what a memory sink has taken.

A batch costs no file, no listing of a folder, and no broadcast of Hadoop's configuration.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming import StreamingQuery


class MemoryStream:
    """A source whose every `add` is one batch of a query that reads nothing else.

    Args:
        spark: the session of the query.
        schema: DDL of the rows: names, each with a type of one word.
    """

    def __init__(self, spark: SparkSession, schema: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._spark, self._classes = spark, _classes_of(jvm)
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
        table = self._classes.json.readValue(
            json.dumps(written), self._classes.table
        )  # one call to the JVM, not one for each field
        self._stream.addData(
            self._classes.seq.toSeq(
                [self._classes.rows.create(table[index]) for index in range(len(written))]
            )
        )


@dataclass(frozen=True)
class _Classes:
    """Java's classes: for each name the gateway searches every package above it in each of 300 jars."""

    types: Any
    encoders: Any
    stream: Any
    rows: Any
    seq: Any
    json: Any
    table: Any


@cache
def _classes_of(jvm: Any) -> _Classes:
    sql = jvm.org.apache.spark.sql
    return _Classes(
        sql.types.StructType,
        sql.Encoders,
        sql.execution.streaming.runtime.MemoryStream,
        sql.RowFactory,
        jvm.PythonUtils,
        jvm.com.fasterxml.jackson.databind.ObjectMapper(),
        jvm.java.lang.Class.forName("[[Ljava.lang.Object;"),
    )


def written_rows(query: StreamingQuery, batch: int) -> Sequence[dict[str, Any]]:
    """What the memory sink of a query took in a batch and those after it, without planning a query for it."""
    found = query._jsq.streamingQuery().sink().dataSinceBatch(batch - 1)
    return [json.loads(found.apply(index).json()) for index in range(found.length())]
