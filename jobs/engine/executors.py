"""Executors of an external master."""

import logging
import time
from collections.abc import Callable
from typing import Any, Final

from pyspark.sql import SparkSession

WAIT_S: Final = 120.0
_PAUSE_S: Final = 0.2

log = logging.getLogger(__name__)


def await_executor(session: SparkSession, is_stopping: Callable[[], bool], wait_s: float = WAIT_S) -> bool:
    """Wait until an executor is there. They come after the session, on a busy host half a minute later, and a
    run in real-time mode that starts without any fails for want of slots.

    Args:
        session: of an external master.
        is_stopping: nothing needs one any more.
        wait_s: seconds; without an executor by then the engine serves, and its runs say what they lack.

    Returns:
        Whether one is there.
    """
    java: Any = session.sparkContext._jsc
    deadline = time.monotonic() + wait_s
    while not is_stopping():
        if java.sc().getExecutorMemoryStatus().size() > 1:  # the driver is one of them
            return True
        if time.monotonic() > deadline:
            log.warning("the Spark master has given no executor for %.0f s", wait_s)
            return False
        time.sleep(_PAUSE_S)
    return False
