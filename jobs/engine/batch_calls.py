"""A query that calls Python with each of its batches (`jvm/src/weir/batches/PooledBatches.java`).

PySpark's `foreachBatch` would keep a connection, and a thread, for each query that ever started.
"""

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.utils import ForeachBatchFunction


def call_with_batches(
    session: SparkSession, writer: DataStreamWriter, function: Callable[[DataFrame, int], None]
) -> DataStreamWriter:
    """Have a query call a function with each batch and its number, as `foreachBatch` does.

    Args:
        session: of the query.
        writer: of the query, which is not started yet.
        function: returns when it is done with the batch; what it raises fails the query.

    Returns:
        the same writer.
    """
    gateway: Any = session.sparkContext._gateway
    called = ForeachBatchFunction(session, function)
    gateway.jvm.weir.batches.PooledBatches.callForeachBatch(writer._jwrite, called)
    return writer
