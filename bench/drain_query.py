"""The engine's own query as it drains a backlog, in a process of its own, which stays when it is done."""

import json
import signal
import sys
from pathlib import Path

from jobs.connections import ClusterProfile
from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.kafka_messages import DesiredRun
from tests.support.spark_session import local_session


def main() -> None:
    """Arguments: a file with the run and the home cluster, and a new folder for Spark's files."""
    given = json.loads(Path(sys.argv[1]).read_text())
    run = DesiredRun.model_validate(given["run"])
    home = ClusterProfile.model_validate(given["home"])
    with local_session(Path(sys.argv[2])) as spark:
        listener = ProgressListener(lambda _: None, lambda: None)
        query = start_query(spark, in_batches(run), plan_of(run), home, listener, drains=True)
        query.awaitTermination()
        signal.pause()


if __name__ == "__main__":
    main()
