"""Every zone that a document may name is known where jobs run."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.base.time_zones import is_zone, zone_names

pytestmark = pytest.mark.integration


def test_java_knows_every_zone_that_passes_the_check(spark: SparkSession) -> None:
    """A name that Java's database lacks would end the query. Where a newer Python knows more, it belongs into
    `jobs.base.time_zones`, or Java is to be updated.
    """
    zones: Any = spark.sparkContext._jvm.java.time.ZoneId  # type: ignore[union-attr]
    read_as_offsets = {"GMT+0", "GMT-0"}
    known = set(zones.getAvailableZoneIds()) | set(zones.SHORT_IDS) | read_as_offsets
    assert zone_names() - known == set()
    assert is_zone("Europe/Berlin")
    assert not is_zone("ROC")
