"""The memory stream of document tests: each batch of rows, empty or not, is one batch of the query."""

import pytest
from pyspark.sql import SparkSession

from tests.support.memory_stream import MemoryStream, written_rows

pytestmark = pytest.mark.integration


def test_batches_go_in_and_come_out(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    stream = MemoryStream(session, "name STRING, number LONG")
    query = stream.frame().writeStream.format("memory").queryName("played_in_memory").start()
    batches = [
        [{"name": "a", "number": 5}, {"name": None, "number": 2**40}],
        [],
        [{"number": None, "name": "ä"}, {"name": "b"}],
    ]
    try:
        for number, rows in enumerate(batches):
            stream.add(rows)
            query.processAllAvailable()
            assert query.lastProgress is not None
            assert query.lastProgress["batchId"] == number
            assert written_rows(query, number) == [
                {"name": row["name"], "number": row.get("number")} for row in rows
            ]
    finally:
        query.stop()
