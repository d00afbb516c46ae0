"""What listens to the events of a Spark application."""

from typing import Any

from pyspark.sql import SparkSession


def attached_sessions(spark: SparkSession) -> int:
    """Number of sessions that are given the application's events, because they have or had a query."""
    context: Any = spark.sparkContext._jsc
    found = context.sc().listenerBus().listeners()
    return sum(each.getClass().getSimpleName() == "StreamingQueryListenerBus" for each in found)
