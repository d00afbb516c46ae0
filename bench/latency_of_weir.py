"""P2 for Weir: latency from an event to its first result at a WebSocket client, and recovery from SIGKILL."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from bench.ledger import Latencies, Ledger
from bench.results import summary
from bench.steady import Load
from bench.usage import Strangers
from bench.weir_job import await_warm_engine, create_job, is_correct, register, stop_and_delete, watch
from tests.support.processes import wait_until
from tests.support.rest import Rest

COMMIT_INTERVAL = "30s"
USUAL_US = 300_000  # recovered: results arrive with no more than the p99 that is aimed at


def measure(
    rest: Rest,
    bootstrap: str,
    data: Path,
    engine_pid: Callable[[], int],
    folder: Path,
    rate: float,
    warm_seconds: float,
    seconds: float,
) -> tuple[dict[str, Any], HdrHistogram]:
    """Run the job under load, measure, kill its engine, and measure how long results stay away.

    Args:
        rest: a client of the running system.
        bootstrap: its broker.
        data: its data folder.
        engine_pid: the engine's JVM.
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
        recovery = _kill(engine_pid, latencies)
        states = [state for _, state in client.states]
        client.close()
        wrong = _wrong_windows(rest, job, load.ledger)
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
        "recovery": recovery,
        "states": states,
        "wrong_windows": wrong,
    }
    return numbers, latencies.histogram


def _kill(engine_pid: Callable[[], int], latencies: Latencies) -> dict[str, float]:
    """SIGKILL the engine; seconds to the first result of a later event, and to the usual latency."""
    pid = engine_pid()  # takes long enough for events to be sent and answered
    os.kill(pid, signal.SIGKILL)
    killed_us = time.time_ns() // 1000

    def fresh() -> bool:
        return latencies.newest_arrival_us - latencies.newest_latency_us > killed_us

    wait_until(fresh, 400, "a result of an event after the kill came")
    first_us = latencies.newest_arrival_us
    wait_until(lambda: latencies.newest_latency_us < USUAL_US, 400, "results come as fast as usual")
    return {
        "first_fresh_result_s": round((first_us - killed_us) / 1e6, 2),
        "as_fast_as_usual_s": round((latencies.newest_arrival_us - killed_us) / 1e6, 2),
    }


def _wrong_windows(rest: Rest, job: str, ledger: Ledger) -> int:
    """Number of windows so far, before and after the kill, that count anything but the events sent."""
    wrong, after = 0, None
    while True:
        page = rest.get(f"jobs/{job}/results", limit=1000, **({"after": after} if after else {}))
        wrong += sum(not is_correct(row["value"], ledger) for row in page["rows"])
        after = page.get("next")
        if not after:
            return wrong
