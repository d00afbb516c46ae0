"""The heap of an engine that waits, in a real JVM."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.heap import release_free_memory

pytestmark = pytest.mark.integration

LARGE = 1_320_000_000  # bytes: more than fit into the young generation, less than into the old one


def test_what_was_used_once_is_given_back(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    runtime = jvm.java.lang.Runtime.getRuntime()
    used = jvm.java.lang.StringBuilder(LARGE)
    grown = runtime.totalMemory()
    used.trimToSize()
    release_free_memory(jvm)
    assert grown - runtime.totalMemory() > LARGE / 2
    kind = jvm.java.lang.Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
    options = jvm.java.lang.management.ManagementFactory.getPlatformMXBean(kind)
    kept = {name: options.getVMOption(name).getValue() for name in ("MinHeapFreeRatio", "MaxHeapFreeRatio")}
    assert kept == {"MinHeapFreeRatio": "40", "MaxHeapFreeRatio": "70"}
