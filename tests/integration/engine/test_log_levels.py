"""What Spark says in each batch of a healthy run would fill the logs of all runs of an engine."""

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration


def test_conditions_over_both_sides_of_a_join_are_not_told_in_each_batch(spark: SparkSession) -> None:
    """Spark looks for bounds of time in them, with a warning and its stack for each that is none."""
    helper = "org.apache.spark.sql.catalyst.analysis.StreamingJoinHelper"
    loggers = spark.sparkContext._jvm.org.apache.logging.log4j.LogManager  # type: ignore[union-attr]
    assert spark.sparkContext._jvm.java.lang.Class.forName(f"{helper}$")  # type: ignore[union-attr]
    assert not loggers.getLogger(helper).isWarnEnabled()
    assert loggers.getLogger(helper).isErrorEnabled()
