"""How often a run in real-time mode commits its positions."""

import zlib
from typing import Final

from jobs.kafka_messages import DesiredRun

JITTER: Final = 0.15  # of the interval, so that runs do not all commit at the same time
# Between the commits of a host's runs, on average. At a commit a run plans its next batch, and gives no
# result meanwhile; when many plan at the same time, each waits for all.
SPACING_MS: Final = 1_000


def commit_interval_ms(run: DesiredRun, runs: int) -> int:
    """The interval of a run: as desired, or longer where many runs share the host.

    It is reduced by up to `JITTER`, the same at every start of an epoch.

    Args:
        run: as desired.
        runs: number of runs of the host's engines.
    """
    share = zlib.crc32(f"{run.run_id}/{run.epoch}".encode()) / 2**32
    return int(max(run.commit_interval_ms, runs * SPACING_MS) * (1 - JITTER * share))
