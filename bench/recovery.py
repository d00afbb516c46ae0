"""P7: SIGKILL of engine, relay, web, worker and broker under load, again and again: how long results of later
events stay away, and whether all events are counted at the end.
"""

import os
import random
import signal
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from hdrh.histogram import HdrHistogram

from bench.clients import ResumingClient, Row
from bench.ledger import Differences, Ledger, new_histogram
from bench.results import summary
from bench.steady import Load
from bench.trials import Trials
from bench.usage import Strangers
from bench.weir_job import (
    WINDOW_US,
    await_warm_engine,
    await_windows,
    create_job,
    register,
)
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

COMMIT_INTERVAL = "30s"
USUAL_US = 300_000  # recovered: results arrive about as fast as before
RESULTS_SECONDS = 120.0  # from the last event until its result must be stored
VICTIMS: Final = {"engine": 8, "web": 3, "web parent": 1, "relay": 3, "worker": 3, "kafka": 2}
"""Process → how often it is killed. Who answers is "web", and what forks it again is its parent."""
_PROCESSES: Final = {"web": "web-server", "web parent": "web"}  # as the system calls them
PACE: Final = (30.0, 30.0)
"""Seconds between a kill's recovery and the next, on top of the next standby's start: at least, and up to so
many more, which are a commit interval, so that kills fall at any moment of it."""


class _Seen:
    """When results of later events came after a kill, and when they came as fast as usual."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.any = False
        self._killed_us = 0
        self.first_us = self.usual_us = 0  # since the kill; 0: not yet

    def row(self, row: Row, now_us: int) -> None:
        """A result came."""
        self.any = True
        sent_us = int(self._ledger.sent_us[row["hi"]])
        if sent_us <= self._killed_us:
            return
        self.first_us = self.first_us or now_us - self._killed_us
        if now_us - sent_us < USUAL_US:
            self.usual_us = self.usual_us or now_us - self._killed_us

    def killed(self, now_us: int) -> None:
        """Something was killed; what comes of earlier events no longer counts."""
        self._killed_us = now_us
        self.first_us = self.usual_us = 0


def measure(
    system: System,
    folder: Path,
    rate: float,
    victims: dict[str, int] = VICTIMS,
    pace: tuple[float, float] = PACE,
) -> tuple[dict[str, Any], dict[str, HdrHistogram]]:
    """Kill processes in random order, each time with the next standby ready.

    Args:
        system: running, with a standby engine.
        folder: for the ledger.
        rate: events per second.
        victims: process → how often it is killed.
        pace: as `PACE`.

    Returns:
        rate, commit_interval, standby_ready_s, strangers (cores), phases_ms of starts after an engine's kill,
        windows, wrong_windows (null: not known), gaps (reasons, at the client), failed, and by victim: kills,
        fresh_ms and usual_ms; and the histograms of fresh_ms.
    """
    rest = system.rest("bench", "bench")
    topic = "bench.recovery"
    stream = register(rest, topic)
    await_warm_engine(rest)
    job = create_job(rest, "killed", stream, engine="shared", commit_interval=COMMIT_INTERVAL)
    order = [name for name, kills in victims.items() for _ in range(kills)]
    random.shuffle(order)
    fresh = {name: new_histogram() for name in victims}
    usual = {name: new_histogram() for name in victims}
    standby_waits: list[float] = []
    phases: list[dict[str, int | None]] = []
    with Load(system.bootstrap, topic, rate, folder) as load:
        seen = _Seen(load.ledger)
        client = ResumingClient(lambda: rest.socket(open_timeout=2), rest.workspace, job, seen.row)
        client.start()
        assert client.ready.wait(60), "the subscription was not answered"
        rest.post(f"jobs/{job}/start", {"from": "earliest"})  # so that every event belongs to a result
        wait_until(lambda: seen.any, 300, "the first result came")
        strangers = Strangers(system.layout.data)
        parts = Trials()

        def trial(victim: str) -> None:
            standby_waits.append(_await_standby(rest))
            time.sleep(pace[0] + random.uniform(0, pace[1]))
            os.kill(_pid(system, rest, job, victim), signal.SIGKILL)
            seen.killed(time.time_ns() // 1000)
            wait_until(lambda: seen.first_us, 600, f"a result of an event after the kill of {victim} came")
            fresh[victim].record_value(seen.first_us)
            if victim == "engine":
                phases.append(rest.get(f"jobs/{job}/runs")["results"][0]["phases_ms"])
            wait_until(lambda: seen.usual_us, 300, f"results come as fast as before the kill of {victim}")
            usual[victim].record_value(seen.usual_us)

        def counted() -> Differences:
            load.stop()
            return await_windows(rest, job, load.ledger, RESULTS_SECONDS)

        for number, victim in enumerate(order):
            parts.run(f"kill {number + 1}, {victim}", partial(trial, victim))
            print(
                f"P7 {number + 1}/{len(order)} {victim}: {seen.first_us / 1e6:.2f} s, "
                f"{seen.usual_us / 1e6:.2f} s",
                flush=True,
            )
        stranger_cores = strangers.cores()
        wrong = parts.run("the counts", counted)
        parts.run("the client", client.close)
    numbers = {
        "rate": rate,
        "commit_interval": COMMIT_INTERVAL,
        "strangers": stranger_cores,
        "standby_ready_s": round(max(standby_waits, default=0), 1),
        "phases_ms": _medians(phases),
        "windows": len(load.ledger.windows(WINDOW_US)),
        "wrong_windows": None if wrong is None else asdict(wrong),
        "gaps": client.gaps,
        "victims": {
            name: {
                "kills": times.get_total_count(),
                "fresh_ms": summary(times),
                "usual_ms": summary(usual[name]),
            }
            for name, times in fresh.items()
            if times.get_total_count()
        },
        "failed": parts.end(),
    }
    return numbers, fresh


def _medians(phases: list[dict[str, int | None]]) -> dict[str, int]:
    """By phase of a start, the median of the milliseconds after which it was reached, where it is known."""
    found: dict[str, int] = {}
    for phase in phases[0] if phases else ():
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
        1_200,
        "a standby engine is ready",
    )
    return time.monotonic() - began


def _pid(system: System, rest: Rest, job: str, victim: str) -> int:
    """A victim's process; the engine is the one that executes the job."""
    if victim != "engine":
        return system.pid(_PROCESSES.get(victim, victim))
    engine = next(engine["id"] for engine in rest.get("engines")["results"] if job in engine["runs"])
    return system.processes()[f"engine-{engine}"]
