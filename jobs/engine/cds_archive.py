"""The class-data (CDS) archive, which halves the time to a new engine's first row (`docs/spark.md#start-up`).

It is recorded once, by an idle standby or at the end of a warm engine, and used by every later start with the
same Java and jars.
"""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

STALE_DRAFT_S = 600.0

log = logging.getLogger(__name__)


def record_archive(context: SparkContext, archive: Path) -> None:
    """Write the archive of all classes loaded so far, unless it exists or another engine is writing it.

    The JVM does nothing else meanwhile, for seconds. A failure is only logged.

    Args:
        context: of the engine.
        archive: the file to write.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    with _claim(archive) as claimed:
        if claimed and not archive.exists():
            _record(context, archive)


@contextmanager
def _claim(archive: Path) -> Iterator[bool]:
    """Claim the recording; yields False when another engine has.

    Engines that end together would all record, and take the processor from each other. The claim ends with
    its process.
    """
    with archive.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _record(context: SparkContext, archive: Path) -> None:
    for left in archive.parent.glob("*.draft"):  # left by engines that were killed while recording
        if time.time() - left.stat().st_mtime > STALE_DRAFT_S:
            left.unlink(missing_ok=True)
    draft = archive.with_suffix(f".{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    jvm: Any = context._jvm
    gateway: Any = context._gateway
    arguments = gateway.new_array(jvm.java.lang.String, 2)
    arguments[0], arguments[1] = "dynamic_dump", f'"{draft}"'  # split at spaces otherwise
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
