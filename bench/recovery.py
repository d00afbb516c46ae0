"""P7: SIGKILL of the engine under load, again and again: how long results of later events stay away."""

import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from hdrh.histogram import HdrHistogram

from bench.ledger import Latencies, new_histogram
from bench.results import summary
from bench.steady import Load
from bench.usage import Strangers
from bench.weir_job import (
    WINDOW_US,
    await_warm_engine,
    await_windows,
    create_job,
    register,
    stop_and_delete,
    watch,
)
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

COMMIT_INTERVAL = "30s"
USUAL_US = 300_000  # recovered: results arrive with no more than P2's p99 that is aimed at
WARM_SECONDS = 30.0  # between a kill's recovery and the next, on top of the next standby's start
RESULTS_SECONDS = 120.0  # from the last event until its result must be stored
SPREAD_SECONDS = 30.0  # the commit interval, so that kills fall at any moment of it


def measure(
    system: System, folder: Path, rate: float, kills: int
) -> tuple[dict[str, Any], dict[str, HdrHistogram]]:
    """Kill the engine of a job several times, each time with the next standby ready.

    Args:
        system: running, with a standby engine.
        folder: for the ledger.
        rate: events per second.
        kills: how often.
    """
    rest = system.rest("bench", "bench")
    topic = "bench.recovery"
    stream = register(rest, topic)
    await_warm_engine(rest)
    job = create_job(rest, "killed", stream, engine="shared", commit_interval=COMMIT_INTERVAL)
    fresh, usual = new_histogram(), new_histogram()
    standby_waits: list[float] = []
    phases: list[dict[str, int | None]] = []
    with Load(system.bootstrap, topic, rate, folder) as load:
        latencies = Latencies(load.ledger)
        client = watch(rest, job, lambda row, now: latencies.result(row["hi"], now))
        rest.post(f"jobs/{job}/start", {"from": "earliest"})  # so that every event belongs to a result
        wait_until(lambda: latencies.greatest_seen() >= 0, 120, "the first result came")
        strangers = Strangers(system.layout.data)
        for number in range(kills):
            standby_waits.append(_await_standby(rest))
            time.sleep(WARM_SECONDS + random.uniform(0, SPREAD_SECONDS))
            first_us, usual_us = _kill(_engine_pid(system, rest, job), latencies)
            fresh.record_value(first_us)
            usual.record_value(usual_us)
            _forget_crashes(system)
            phases.append(rest.get(f"jobs/{job}/runs")["results"][0]["phases_ms"])
            print(f"P7 {number + 1}/{kills}: {first_us / 1e6:.2f} s, {usual_us / 1e6:.2f} s", flush=True)
        stranger_cores = strangers.cores()
        client.close()
        load.stop()
        wrong = await_windows(rest, job, load.ledger, RESULTS_SECONDS)
    stop_and_delete(rest, job)
    numbers = {
        "rate": rate,
        "kills": kills,
        "commit_interval": COMMIT_INTERVAL,
        "strangers": stranger_cores,
        "fresh_ms": summary(fresh),
        "usual_ms": summary(usual),
        "standby_ready_s": round(max(standby_waits), 1),
        "phases_ms": _medians(phases),
        "windows": len(load.ledger.windows(WINDOW_US)),
        "wrong_windows": asdict(wrong),
    }
    return numbers, {"fresh": fresh, "usual": usual}


def _medians(phases: list[dict[str, int | None]]) -> dict[str, int]:
    """By phase of a start, the median of the milliseconds after which it was reached, where it is known."""
    found: dict[str, int] = {}
    for phase in phases[0]:
        known = [at for each in phases if (at := each[phase]) is not None]
        if known:
            found[phase] = round(median(known))
    return found


def _await_standby(rest: Rest) -> float:
    """Wait for a ready standby; how many seconds it took."""
    began = time.monotonic()
    wait_until(
        lambda: any(
            engine["standby"] and engine["state"] == "ready" for engine in rest.get("engines")["results"]
        ),
        400,
        "a standby engine is ready",
    )
    return time.monotonic() - began


def _engine_pid(system: System, rest: Rest, job: str) -> int:
    """The process of the engine that executes the job."""
    engine = next(engine["id"] for engine in rest.get("engines")["results"] if job in engine["runs"])
    return system.processes()[f"engine-{engine}"]


def _kill(pid: int, latencies: Latencies) -> tuple[int, int]:
    """SIGKILL the engine; µs to the first result of a later event, and to the usual latency."""
    os.kill(pid, signal.SIGKILL)
    killed_us = time.time_ns() // 1000

    def fresh() -> bool:
        return latencies.newest_arrival_us - latencies.newest_latency_us > killed_us

    wait_until(fresh, 400, "a result of an event after the kill came")
    first_us = latencies.newest_arrival_us
    wait_until(lambda: latencies.newest_latency_us < USUAL_US, 400, "results come as fast as usual")
    return first_us - killed_us, latencies.newest_arrival_us - killed_us


def _forget_crashes(system: System) -> None:
    """A second crash within ten minutes would send the run to an engine of its own; it is no suspect."""
    with closing(sqlite3.connect(system.layout.data / "weir.sqlite3", timeout=30)) as database, database:
        database.execute("UPDATE runs_engine SET crashes = '[]'")
        database.execute("UPDATE runs_run SET crashes = '[]'")
