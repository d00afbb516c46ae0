"""Streaming rows in the JVM's memory: a source that is fed batch by batch, and what a memory sink has taken.

A batch costs no file, no listing of a folder, and no broadcast of Hadoop's configuration.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
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
        gateway = spark.sparkContext._gateway
        jvm: Any = spark.sparkContext._jvm
        assert gateway is not None
        self._spark, self._gateway, self._jvm = spark, gateway, jvm
        self._types = dict(column.split() for column in schema.split(", "))
        # As texts, since the gateway makes an Integer of every number that fits one.
        texts = jvm.org.apache.spark.sql.types.StructType.fromDDL(", ".join(f"{name} STRING" for name in self._types))
        encoder = jvm.org.apache.spark.sql.Encoders.row(texts)
        self._stream = jvm.org.apache.spark.sql.execution.streaming.runtime.MemoryStream.apply(spark._jsparkSession, 1, encoder)

    def frame(self) -> DataFrame:
        """The streaming rows."""
        texts = DataFrame(self._stream.toDF(), self._spark)
        return texts.select(*(F.col(name).cast(type_).alias(name) for name, type_ in self._types.items()))

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """One batch; a field that a row lacks is null. No rows: a batch that reads nothing."""
        given = self._jvm.java.util.ArrayList()
        for row in rows:
            values = self._gateway.new_array(self._jvm.java.lang.Object, len(self._types))
            for index, name in enumerate(self._types):
                if row.get(name) is not None:
                    values[index] = str(row[name])
            given.add(self._jvm.org.apache.spark.sql.RowFactory.create(values))
        self._stream.addData(self._jvm.PythonUtils.toSeq(given))


def written_rows(query: StreamingQuery, batch: int) -> Sequence[dict[str, Any]]:
    """What the memory sink of a query took in a batch and those after it, without planning a query for it."""
    found = query._jsq.streamingQuery().sink().dataSinceBatch(batch - 1)
    return [json.loads(found.apply(index).json()) for index in range(found.length())]
