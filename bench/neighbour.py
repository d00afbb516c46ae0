"""A live job beside one that drains a large backlog on the same engine."""

import time
from pathlib import Path
from typing import Any, Final

from hdrh.histogram import HdrHistogram

from bench.fill import fill
from bench.ledger import Latencies, new_histogram
from bench.results import summary
from bench.steady import Load
from bench.systems import running_system
from bench.usage import Strangers
from bench.weir_job import await_warm_engine, create_job, register, watch
from tests.support.processes import wait_until
from tests.support.rest import Rest

RATE: Final = 1_000
BEGIN_US: Final = 1_767_225_600_000_000
_LIMIT_S: Final = 3_600.0


def measure(
    folder: Path, records: int, seconds: int, warm_seconds: int
) -> tuple[dict[str, Any], dict[str, HdrHistogram]]:
    """Latency of a live job alone, and while another reads a backlog.

    Args:
        folder: new.
        records: of the backlog.
        seconds: how long it is measured alone.
        warm_seconds: before that.

    Returns:
        rate, records, seconds, alone_ms and beside_ms (of the live job), drain_s, strangers (cores); and both
        histograms.
    """
    with running_system(folder / "system", settings={"WEIR_STANDBY": "false"}) as system:
        rest = system.rest("bench", "bench")
        live, large = register(rest, "bench.live"), register(rest, "bench.large")
        fill(system.bootstrap, "bench.large", "count", records, BEGIN_US)
        await_warm_engine(rest)
        job = create_job(rest, "live", live, engine="shared")
        with Load(system.bootstrap, "bench.live", RATE, folder) as load:
            latencies = Latencies(load.ledger)
            client = watch(rest, job, lambda row, now: latencies.result(row["hi"], now))
            rest.post(f"jobs/{job}/start", {"from": "now"})
            wait_until(lambda: latencies.greatest_seen() >= 0, 300, "the first result came")
            time.sleep(warm_seconds)
            strangers = Strangers(system.layout.data)
            alone = latencies.histogram
            latencies.recording = True
            time.sleep(seconds)
            beside = latencies.histogram = new_histogram()
            other = create_job(rest, "large", large, engine="shared")
            drain_s = _drain(rest, other)
            latencies.recording = False
            stranger_cores = strangers.cores()
            client.close()
    numbers = {
        "rate": RATE,
        "records": records,
        "seconds": seconds,
        "drain_s": round(drain_s, 1),
        "strangers": stranger_cores,
        "alone_ms": summary(alone),
        "beside_ms": summary(beside),
    }
    return numbers, {"alone": alone, "beside": beside}


def _drain(rest: Rest, job: str) -> float:
    """Start a job with a backlog; how many seconds it took to be at the end."""
    began = time.monotonic()
    rest.post(f"jobs/{job}/start", {"from": "earliest"})

    drained = False

    def there() -> bool:
        nonlocal drained
        state = rest.get(f"jobs/{job}")
        assert state["observed"] != "failed", state["failure"]
        if state["draining"]:
            drained = True
            return False
        lag = state["lag"]
        return bool(state["observed"] == "running" and (drained or (lag and lag["records"] == 0)))

    wait_until(there, _LIMIT_S, "the backlog is drained")
    return time.monotonic() - began
