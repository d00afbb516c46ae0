"""What a standby engine takes while it waits."""

import time
from pathlib import Path
from typing import Any

from bench.idle import process_trees
from bench.systems import running_system
from bench.usage import Strangers
from bench.usage import measure as measure_use
from bench.weir_job import await_standby, await_warm_engine


def measure(folder: Path, settle_seconds: int, seconds: int) -> dict[str, Any]:
    """Measure the standby of a system without jobs, all its processes.

    Args:
        folder: new.
        settle_seconds: after it is ready, while its JVM compiles what its warm-up ran.
        seconds: how long it is measured.

    Returns:
        settle_seconds, seconds, cores, pss_mb, rss_mb and strangers (cores).
    """
    with running_system(folder / "system", settings={"WEIR_STANDBY": "true"}) as system:
        rest = system.rest("bench", "bench")
        await_warm_engine(rest)
        standby = await_standby(rest)
        time.sleep(settle_seconds)
        strangers = Strangers(system.layout.data)
        use = measure_use(lambda: process_trees(system), seconds)[f"engine-{standby}"]
        return {
            "settle_seconds": settle_seconds,
            "seconds": seconds,
            "cores": round(use.cores, 4),
            "pss_mb": round(use.pss_mb),
            "rss_mb": round(use.rss_mb),
            "strangers": strangers.cores(),
        }
