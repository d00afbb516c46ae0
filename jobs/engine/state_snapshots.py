"""Snapshots of a query's state, and how much is repeated without one.

A query that loads its state takes the last snapshot in the checkpoint and repeats every change since, which
takes about as long as they took at first. By default Spark takes a snapshot with every tenth commit: millions
of rows may have changed since, or minutes may have passed.
"""

import logging
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

# A snapshot takes some 10 to 40 ms of its commit, and 0.4 s where a million rows have changed.
_EVERY_MS: Final = 120_000
_MOST_COMMITS: Final = 10

log = logging.getLogger(__name__)


def commits_between(commit_interval_ms: int | None) -> int:
    """After how many commits a query takes a snapshot.

    Args:
        commit_interval_ms: between two commits; None: each may be that of a large batch, which takes longer
            to repeat than to save.
    """
    if commit_interval_ms is None:
        return 1
    return max(1, min(_MOST_COMMITS, _EVERY_MS // max(1, commit_interval_ms)))


def take_snapshots(session: SparkSession, commits: int) -> None:
    """Set after how many commits the query of a session, which is not started yet, takes a snapshot."""
    session.conf.set("spark.sql.streaming.stateStore.minDeltasForSnapshot", commits)


def upload_snapshots(query: StreamingQuery) -> None:
    """Write the last snapshots of a query that has ended to its checkpoint, so that the next one on it has
    little to repeat. Only of stores in this process; an error leaves more to repeat.
    """
    java_query: Any = query._jsq
    jvm: Any = SparkContext._jvm
    try:
        stores = jvm.weir.checkpoints.StateSnapshots.upload(java_query.runId())
    except Py4JError as error:
        log.warning("no snapshot of the state: %s", error)
        return
    log.debug("snapshots of %s stores are written", stores)
