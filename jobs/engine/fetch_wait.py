"""How long records are gathered for a run in real-time mode: by Kafka before it hands them out, and between
the stages of a query.

A fetch, the wake-up behind it and the write of its results cost broker and engine nearly as much for one
record as for a hundred. Few runs get each record at once. Where many share the cores of a host, records
wait, for `MAX_MS` at most, and the cores carry more runs (`docs/decisions/2026-11-27-gathered-records.md`).
The wait follows the number of runs while they read.

Spark wakes a thread for each task that writes to another stage whenever its wait is over, whether there are
rows or not: with 64 runs the wait that suits one took a fifth of what all runs took.
"""

from typing import Any, Final

from jobs.base.host_limits import HostLimits
from jobs.kafka_messages import DesiredRun

AT_ONCE_PER_CORE: Final = 1  # run that gets every record as it comes
MS_PER_RUN: Final = 40  # and core
MAX_MS: Final = 800
SHUFFLE_WAIT: Final = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"
SHUFFLE_WAIT_MS: Final = 5  # of few runs; Spark's own 50 dominate their latency
_GATHERED_BYTES: Final = 65_536  # that are handed out without a wait; as in FetchWait.java
_IDLE_MS: Final = 20  # between two answers to a run for which there is nothing


def fetch_wait_ms(runs: int, cores: int | None = None) -> int:
    """How long records are gathered for the runs of a host; 0: not at all.

    Args:
        runs: number of runs of the host's engines.
        cores: of the host; None: as the system says.
    """
    per_core = runs / (cores or HostLimits().cores())
    return 0 if per_core <= AT_ONCE_PER_CORE else min(MAX_MS, int(per_core * MS_PER_RUN))


def has_own_engine(run: DesiredRun) -> bool:
    """Whether a run's job asks for an engine of its own: it gets each record at once."""
    return bool(run.document.get("settings", {}).get("engine") == "dedicated")


def gather(jvm: Any, wait_ms: int) -> None:
    """From now on have records gathered for so long for this JVM's runs that share its host
    (`jvm/src/weir/consumers/FetchWait.java`), and rows between stages for `shuffle_wait_ms`, from each run's
    next batch on.

    Raises:
        Py4JError: the JVM does not answer.
    """
    jvm.weir.consumers.FetchWait.gather(wait_ms)
    jvm.org.apache.spark.SparkContext.getOrCreate().conf().set(SHUFFLE_WAIT, str(shuffle_wait_ms(wait_ms)))


def shuffle_wait_ms(wait_ms: int) -> int:
    """How long rows are gathered between two stages where records are for `wait_ms`."""
    return max(SHUFFLE_WAIT_MS, wait_ms // 20)


def consumer_options(*, shares: bool) -> dict[str, str]:
    """Options of a source in real-time mode.

    Args:
        shares: the run shares its host with others, so that records may be gathered for it.
    """
    at_least = {"kafka.fetch.min.bytes": str(_GATHERED_BYTES)} if shares else {}
    return {"kafka.fetch.max.wait.ms": str(_IDLE_MS), **at_least}


def producer_options(wait_ms: int) -> dict[str, str]:
    """Options of a sink in real-time mode: what is gathered is written in one request."""
    return {"kafka.linger.ms": str(wait_ms // 5)}
