"""P2 for Weir: latency from an event to its first result at a WebSocket client."""

import time
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from bench.ledger import Latencies
from bench.results import summary
from bench.steady import Load
from bench.usage import Strangers
from bench.weir_job import await_warm_engine, create_job, register, stop_and_delete, watch
from tests.support.processes import wait_until
from tests.support.rest import Rest

COMMIT_INTERVAL = "30s"


def measure(
    rest: Rest,
    bootstrap: str,
    data: Path,
    folder: Path,
    rate: float,
    warm_seconds: float,
    seconds: float,
) -> tuple[dict[str, Any], HdrHistogram]:
    """Run the job under load, and measure.

    Args:
        rest: a client of the running system.
        bootstrap: its broker.
        data: its data folder.
        folder: for the ledger.
        rate: events per second.
        warm_seconds: from the first result to the first event that counts.
        seconds: how long to measure.
    """
    topic = "bench.weir.in"
    stream = register(rest, topic)
    await_warm_engine(rest)
    job = create_job(rest, "steady", stream, engine="shared", commit_interval=COMMIT_INTERVAL)
    with Load(bootstrap, topic, rate, folder) as load:
        latencies = Latencies(load.ledger)
        client = watch(rest, job, lambda row, now: latencies.result(row["hi"], now))
        rest.post(f"jobs/{job}/start", {"from": "now"})
        wait_until(lambda: latencies.greatest_seen() >= 0, 60, "the first result came")
        time.sleep(warm_seconds)
        strangers = Strangers(data)
        latencies.recording = True
        time.sleep(seconds)
        latencies.recording = False
        stranger_cores = strangers.cores()
        conflated = client.conflated
        client.close()
    stop_and_delete(rest, job)
    settings = [
        "real-time mode", f"commit interval {COMMIT_INTERVAL}", "shared engine", "WebSocket interval 0",
    ]  # fmt: skip
    numbers = {
        "settings": settings,
        "strangers": stranger_cores,
        "results": latencies.results,
        "conflated": conflated,
        "latency_ms": summary(latencies.histogram),
    }
    return numbers, latencies.histogram
