"""The heap of an engine that waits."""

import logging
import time
from typing import Any, Final

from py4j.protocol import Py4JError

log = logging.getLogger(__name__)

# Percent of the heap that may be free after a full collection; the JVM's own are 40 and 70. They are set in
# an order in which the lower bound is never the greater one.
_WAITING: Final = (("MinHeapFreeRatio", "10"), ("MaxHeapFreeRatio", "20"))
_WORKING: Final = (("MaxHeapFreeRatio", "70"), ("MinHeapFreeRatio", "40"))


def release_free_memory(jvm: Any) -> None:
    """Collect garbage and give back to the system what of the heap is free, which a warm-up has left large.

    The JVM does nothing else meanwhile, for some tenths of a second. Later the heap grows as it did before.
    """
    began = time.monotonic()
    try:
        kind = jvm.java.lang.Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
        options = jvm.java.lang.management.ManagementFactory.getPlatformMXBean(kind)
        before = jvm.java.lang.Runtime.getRuntime().totalMemory()
        for name, percent in _WAITING:
            options.setVMOption(name, percent)
        jvm.java.lang.System.gc()
        for name, percent in _WORKING:
            options.setVMOption(name, percent)
        after = jvm.java.lang.Runtime.getRuntime().totalMemory()
    except Py4JError as error:
        log.warning("the heap stays as it is: %s", error)
        return
    mebibytes = before >> 20, after >> 20
    log.info("the heap is %s MiB for %s: %.1f s", mebibytes[1], mebibytes[0], time.monotonic() - began)
