"""The class-data (CDS) archive, which halves the time to a new engine's first row (`docs/spark.md#start-up`).

It is recorded once, when a warm engine ends, and used by every later start with the same Java and jars.
"""

import logging
import os
import time
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

STALE_DRAFT_S = 600.0

log = logging.getLogger(__name__)


def record_archive(context: SparkContext, archive: Path) -> None:
    """Write the archive of all classes loaded so far, unless it exists. A failure is only logged."""
    if archive.exists():
        return
    archive.parent.mkdir(parents=True, exist_ok=True)
    for left in archive.parent.glob("*.draft"):  # left by engines that were killed while recording
        if time.time() - left.stat().st_mtime > STALE_DRAFT_S:
            left.unlink(missing_ok=True)
    # By pid: engines that end at the same time must not write to the same file.
    draft = archive.with_suffix(f".{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    jvm: Any = context._jvm
    gateway: Any = context._gateway
    arguments = gateway.new_array(jvm.java.lang.String, 2)
    arguments[0], arguments[1] = "dynamic_dump", str(draft)
    wrapped = gateway.new_array(jvm.java.lang.Object, 1)
    wrapped[0] = arguments
    signature = gateway.new_array(jvm.java.lang.String, 1)
    signature[0] = "[Ljava.lang.String;"
    beans = jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
    try:
        output = beans.invoke(
            jvm.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand"),
            "vmCds",
            wrapped,
            signature,
        )
    except Py4JJavaError as error:
        log.warning("no class-data archive: %s", error.java_exception)
        return
    if draft.exists():
        draft.rename(archive)
    else:
        log.warning("no class-data archive: %s", output)
