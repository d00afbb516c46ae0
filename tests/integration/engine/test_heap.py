"""The heap of an engine that waits, in a JVM of its own: the one of all tests has no room for so much."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from py4j.java_gateway import JavaGateway

from jobs.engine.heap import collect_garbage, release_free_memory
from jobs.engine.launch import HEAP_FLAGS

pytestmark = pytest.mark.integration

LARGE = 300_000_000  # bytes


@pytest.fixture
def jvm() -> Iterator[Any]:
    (jar,) = (Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar")
    options = [*HEAP_FLAGS, "-Xms64m", "-Xmx600m"]
    gateway = JavaGateway.launch_gateway(jarpath=str(jar), javaopts=options, die_on_exit=True)
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()


def test_what_was_used_once_is_given_back(jvm: Any) -> None:
    runtime = jvm.java.lang.Runtime.getRuntime()
    used = jvm.java.lang.StringBuilder(LARGE)
    grown = runtime.totalMemory()
    assert grown > LARGE
    used.trimToSize()
    release_free_memory(jvm)
    assert grown - runtime.totalMemory() > LARGE / 2
    kind = jvm.java.lang.Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
    options = jvm.java.lang.management.ManagementFactory.getPlatformMXBean(kind)
    kept = {name: options.getVMOption(name).getValue() for name in ("MinHeapFreeRatio", "MaxHeapFreeRatio")}
    assert kept == {"MinHeapFreeRatio": "40", "MaxHeapFreeRatio": "70"}


def test_garbage_is_collected_once_there_is_some(jvm: Any) -> None:
    jvm.java.lang.System.gc()
    assert not collect_garbage(jvm)
    jvm.java.lang.StringBuilder(LARGE)
    assert collect_garbage(jvm)
    assert not collect_garbage(jvm)
