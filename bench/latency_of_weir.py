"""P2 for Weir: latency from an event to its first result at a WebSocket client."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from hdrh.histogram import HdrHistogram

from bench.hops import measure_hops
from bench.ledger import Latencies
from bench.results import summary
from bench.steady import Load
from bench.usage import Strangers
from bench.weir_job import await_warm_engine, create_job, register, stop_and_delete, watch
from tests.support.processes import wait_until
from tests.support.system import System

COMMIT_INTERVAL: Final = "30s"
REAL_TIME: Final = {"mode": "realtime", "commit_interval": COMMIT_INTERVAL}
FASTEST_BATCHES: Final = {"mode": "microbatch", "trigger": "100ms"}  # the shortest that a job may ask for


def measure(
    system: System,
    folder: Path,
    rate: float,
    warm_seconds: float,
    seconds: float,
    settings: Mapping[str, str] = REAL_TIME,
    hop_seconds: float = 0,
    create: Callable[..., str] = create_job,
    on_row: Callable[[dict[str, Any]], int] = lambda row: int(row["hi"]),
) -> tuple[dict[str, Any], HdrHistogram]:
    """Run the job under load, and measure.

    Args:
        system: running.
        folder: for the ledger.
        rate: events per second.
        warm_seconds: from the first result to the first event that counts.
        seconds: how long to measure.
        settings: of the job.
        hop_seconds: how long its events are followed from station to station, after that; 0: not.
        create: creates the job, with the arguments of `bench.weir_job.create_job`.
        on_row: called for every result row; the number of the greatest event in it.

    Returns:
        settings, strangers (cores), results, conflated, latency_ms and hops (`bench.hops.measure_hops`; null
        where they were not followed); and the histogram.
    """
    rest = system.rest("bench", "bench")
    topic = f"bench.weir.{settings['mode']}"
    stream = register(rest, topic)
    await_warm_engine(rest)
    job = create(rest, f"steady-{settings['mode']}", stream, engine="shared", **settings)
    hops = None
    try:
        with Load(system.bootstrap, topic, rate, folder) as load:
            latencies = Latencies(load.ledger)
            client = watch(rest, job, lambda row, now: latencies.result(on_row(row), now))
            rest.post(f"jobs/{job}/start", {"from": "now"})
            wait_until(lambda: latencies.greatest_seen() >= 0, 300, "the first result came")
            time.sleep(warm_seconds)
            strangers = Strangers(system.layout.data)
            latencies.recording = True
            time.sleep(seconds)
            latencies.recording = False
            stranger_cores = strangers.cores()
            conflated = client.conflated
            if hop_seconds:
                hops = measure_hops(system, job, topic, client, load.ledger, hop_seconds)
            client.close()
    finally:
        stop_and_delete(rest, job)
    numbers = {
        "settings": [
            *(f"{name.replace('_', ' ')} {value}" for name, value in settings.items()),
            "shared engine",
            "WebSocket interval 0",
        ],
        "strangers": stranger_cores,
        "results": latencies.results,
        "conflated": conflated,
        "latency_ms": summary(latencies.histogram),
        "hops": hops,
    }
    return numbers, latencies.histogram
