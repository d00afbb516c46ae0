"""The heap of an engine that has nothing to do."""

import logging
import time
from typing import Any, Final

from py4j.protocol import Py4JError

log = logging.getLogger(__name__)

# Percent of the heap that may be free after a full collection; the JVM's own are 40 and 70. They are set in
# an order in which the lower bound is never the greater one.
_WAITING: Final = (("MinHeapFreeRatio", "10"), ("MaxHeapFreeRatio", "20"))
_WORKING: Final = (("MaxHeapFreeRatio", "70"), ("MinHeapFreeRatio", "40"))

_OLD: Final = "Tenured Gen"  # of the serial collector
_GARBAGE_BYTES: Final = 40 << 20  # two previews leave that


def release_free_memory(jvm: Any) -> None:
    """Collect garbage and give back to the system what is free, which a warm-up has left large.

    The JVM does nothing else meanwhile, for some tenths of a second. Later its heap grows as it did before.
    """
    began, before = time.monotonic(), _heap_mb(jvm)
    factory = jvm.java.lang.management.ManagementFactory
    for release in (_shrink_heap, _trim_malloc):
        try:
            release(jvm, factory)
        except Py4JError as error:
            log.warning("the engine keeps free memory: %s", error)
    log.info("the heap is %s MiB for %s: %.1f s", _heap_mb(jvm), before, time.monotonic() - began)


def collect_garbage(jvm: Any) -> bool:
    """Collect garbage where some of it has become old since that was last collected; True when it was.

    Otherwise the JVM would, for a quarter of a second, in the middle of what it does next.
    """
    pools = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    old = next(pool for at in range(pools.size()) if (pool := pools.get(at)).getName() == _OLD)
    if old.getUsage().getUsed() - old.getCollectionUsage().getUsed() < _GARBAGE_BYTES:
        return False
    jvm.java.lang.System.gc()
    return True


def _shrink_heap(jvm: Any, factory: Any) -> None:
    kind = jvm.java.lang.Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
    options = factory.getPlatformMXBean(kind)
    for name, percent in _WAITING:
        options.setVMOption(name, percent)
    jvm.java.lang.System.gc()
    for name, percent in _WORKING:
        options.setVMOption(name, percent)


def _trim_malloc(jvm: Any, factory: Any) -> None:
    """What the compiler has used, which glibc keeps otherwise. Linux only, Java 17.0.9 and newer."""
    commands = jvm.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand")
    factory.getPlatformMBeanServer().invoke(commands, "systemTrimNativeHeap", None, None)


def _heap_mb(jvm: Any) -> int:
    return int(jvm.java.lang.Runtime.getRuntime().totalMemory()) >> 20
