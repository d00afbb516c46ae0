"""Spark sessions: one application, and a session of its own for each run, since some settings differ by run."""

from pyspark.sql import SparkSession

from jobs.messages import DesiredRun


def open_session() -> SparkSession:
    """The application's session; everything static was said by `launch` before the JVM started."""
    return SparkSession.builder.getOrCreate()


def session_for(base: SparkSession, run: DesiredRun, *, final: bool, watermark: str = "min") -> SparkSession:
    """A session for one start of one run.

    Args:
        base: of the application.
        run: gives the number of state partitions, which a checkpoint keeps for ever.
        final: the query emits final results; only then are empty batches worth running.
        watermark: min or max of the sources' watermarks; a checkpoint keeps it for ever.
    """
    session = base.newSession()
    session.conf.set("spark.sql.shuffle.partitions", str(run.shuffle_partitions))
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "true" if final else "false")
    session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", watermark)
    return session
