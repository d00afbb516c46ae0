"""The sizes of the batches in which a query drains a backlog."""

from typing import Final

from pyspark.sql import SparkSession

_FIRST: Final = "weir.batches.first"  # as in BatchSizes.java
# A cold JVM has made results of them within a second.
_FIRST_ROWS: Final = 50_000
# A batch reads from all partitions of a topic.
_LEAST_RECORDS: Final = 100


def grow_batches(session: SparkSession, fanout: int) -> None:
    """Have the query of a session, which is not started yet, take few records with its first batch, and then
    as many as are read in a second or two, at most what its sources say
    (`jvm/src/weir/batches/BatchSizes.java`).

    Args:
        session: of the query alone.
        fanout: of its plan: how many rows a record becomes.
    """
    session.conf.set(_FIRST, max(_LEAST_RECORDS, _FIRST_ROWS // fanout))
