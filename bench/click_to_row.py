"""P1: from the click on start to the first correct row at a client."""

import threading
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from hdrh.histogram import HdrHistogram

from bench.clients import TopicClient
from bench.ledger import Ledger, new_histogram
from bench.peers.processes import tutorial
from bench.results import summary
from bench.steady import PARTITIONS, Load, create_topics
from bench.systems import leave_broker
from bench.trials import Trials
from bench.usage import Strangers
from bench.weir_job import (
    await_standby,
    await_warm_engine,
    create_job,
    is_correct,
    register,
    stop_and_delete,
    watch,
)
from tests.support.rest import Rest
from tests.support.system import System

Kind = Literal["warm", "standby", "cold", "tutorial"]

_ENGINES: Final[Mapping[Kind, str]] = {"warm": "shared", "standby": "dedicated", "cold": "dedicated"}
RATE = 100
WARM_CLICKS = 5
DEADLINE_SECONDS = 300


class FirstRow:
    """Waits for the first row that is correct."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._came = threading.Event()
        self._at_us = 0
        self.wrong = 0

    def row(self, row: dict[str, Any], now_us: int) -> None:
        """A row came."""
        if self._came.is_set():
            return
        if is_correct(row, self._ledger):
            self._at_us = now_us
            self._came.set()
        else:
            self.wrong += 1

    def wait(self, began_us: int) -> int:
        """µs from `began_us` to it.

        Raises:
            TimeoutError: none came.
        """
        if not self._came.wait(DEADLINE_SECONDS):
            raise TimeoutError(f"no correct row within {DEADLINE_SECONDS} s; {self.wrong} wrong ones")
        return self._at_us - began_us


def measure(
    system: System, folder: Path, trials: Mapping[Kind, int]
) -> tuple[dict[str, Any], dict[str, HdrHistogram]]:
    """Some kinds of starts: on our warm engine, on a dedicated one that a ready standby becomes, on a cold
    dedicated one, and the tutorial's job under spark-submit.

    Args:
        system: running; it has a standby where those are measured, and none beside cold starts. Of its
            processes only the broker is left for the peer, which is the last.
        folder: for the peer's files.
        trials: how many of each kind.

    Returns:
        rate, warm_clicks, by kind (none where no trial succeeded) trials, strangers (cores) and latency_ms,
        and failed; and the histograms.
    """
    rest, bootstrap = system.rest("bench", "bench"), system.bootstrap
    topic, target = "bench.click", "bench.click.out"
    stream = register(rest, topic)
    create_topics(bootstrap, target)
    await_warm_engine(rest)
    with Load(bootstrap, topic, RATE, folder) as load:

        def ours(kind: Kind, number: int) -> int:
            if "standby" in trials:
                await_standby(rest)  # the next one warms up for minutes, beside what is measured
            return _ours(rest, stream, load.ledger, f"{kind}-{number}", _ENGINES[kind])

        def tutorials(_: Kind, number: int) -> int:
            return _tutorial(bootstrap, topic, target, load.ledger, folder / f"tutorial-{number}")

        histograms = {}
        numbers: dict[str, Any] = {}
        parts = Trials()
        for number in range(WARM_CLICKS):
            _ours(rest, stream, load.ledger, f"warm-up-{number}", "shared")
        for name, count in trials.items():
            run = tutorials if name == "tutorial" else ours
            if name == "tutorial":
                leave_broker(system)
            strangers, histogram = Strangers(system.layout.data), new_histogram()
            for number in range(count):
                took = parts.run(f"{name} {number + 1}", partial(run, name, number))
                if took is not None:
                    histogram.record_value(took)
                print(f"P1 {name} {number + 1}/{count}", flush=True)
            if histogram.get_total_count():
                histograms[name] = histogram
                numbers[name] = {
                    "trials": histogram.get_total_count(),
                    "strangers": strangers.cores(),
                    "latency_ms": summary(histogram),
                }
    return {"rate": RATE, "warm_clicks": WARM_CLICKS, **numbers, "failed": parts.end()}, histograms


def _ours(rest: Rest, stream: str, ledger: Ledger, name: str, engine: str) -> int:
    job = create_job(rest, name, stream, engine=engine)
    first = FirstRow(ledger)
    client = watch(rest, job, first.row)
    began_us = time.time_ns() // 1000
    rest.post(f"jobs/{job}/start", {"from": "now"})
    try:
        return first.wait(began_us)
    finally:
        client.close()
        stop_and_delete(rest, job)


def _tutorial(bootstrap: str, source: str, target: str, ledger: Ledger, folder: Path) -> int:
    first = FirstRow(ledger)
    client = TopicClient(bootstrap, target, PARTITIONS, first.row)
    client.start()
    client.ready.wait(30)
    peer = tutorial(bootstrap, source, target, folder, PARTITIONS, "0 seconds")
    began_us = time.time_ns() // 1000
    peer.start()
    try:
        return first.wait(began_us)
    finally:
        peer.stop()
        client.close()
