"""Ends a query's batch in real-time mode before the commit interval is over."""

from typing import Any

from pyspark import SparkContext
from pyspark.sql.streaming.query import StreamingQuery


def end_batches(query: StreamingQuery) -> None:
    """Have a query commit what it has read, and read nothing more (`jvm/src/weir/batches/BatchEnds.java`).
    Only where its tasks run in this process's JVM.

    Raises:
        Py4JError: the JVM does not answer.
    """
    _ends().ask(query.id)


def forget_end(query: StreamingQuery) -> None:
    """The next query on the same checkpoint is to read again.

    Raises:
        Py4JError: the JVM does not answer.
    """
    _ends().forget(query.id)


def _ends() -> Any:
    jvm: Any = SparkContext._jvm
    return jvm.weir.batches.BatchEnds
