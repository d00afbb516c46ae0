"""What listens to the events of a Spark application."""

from typing import Any

from pyspark.sql import SparkSession


def attached_sessions(spark: SparkSession) -> set[int]:
    """Identities of what passes the application's events to the sessions that have or had a query.

    Not their number: sessions of other tests may be let go at any moment.
    """
    context: Any = spark.sparkContext._jsc
    gateway: Any = spark.sparkContext._gateway
    found = context.sc().listenerBus().listeners()
    return {
        gateway.jvm.System.identityHashCode(each)
        for each in found
        if each.getClass().getSimpleName() == "StreamingQueryListenerBus"
    }
