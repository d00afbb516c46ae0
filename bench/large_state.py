"""A job with state of many keys: how soon it is back after a restart, what memory it takes, and how late
results are.

The job counts per key without a window, so that all keys stay; it gives results of ten keys alone, whose
events flow all the time. The other keys come as a backlog.
"""

import json
import time
from pathlib import Path
from typing import Any, Final

from hdrh.histogram import HdrHistogram

from bench.fill import fill
from bench.idle import process_trees
from bench.ledger import Latencies, new_histogram
from bench.results import summary
from bench.steady import Load
from bench.systems import running_system
from bench.trials import Trials
from bench.usage import Strangers, memory
from bench.weir_job import await_warm_engine, register, watch
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

RATE: Final = 1_000
TOPIC: Final = "bench.state"
_LIMIT_S: Final = 3_600.0


def measure(
    folder: Path, keys: int, seconds: int, restarts: int
) -> tuple[dict[str, Any], dict[str, HdrHistogram]]:
    """Measure a job before and after it has many keys, then stop and resume it.

    Args:
        folder: new.
        keys: of its state.
        seconds: how long latency is measured, each time after as long of warming.
        restarts: how often it is stopped and resumed.

    Returns:
        rate, keys, seconds, fill_s (until all keys are in the state), few_ms and many_ms (latency), engine_mb
        (PSS of its engine before and after), restart_s (from the request to the first result of a later
        event, one of each time), strangers (cores), failed; and both histograms.
    """
    with running_system(folder / "system", settings={"WEIR_STANDBY": "false"}) as system:
        rest = system.rest("bench", "bench")
        stream = register(rest, TOPIC)
        await_warm_engine(rest)
        job = _create(rest, stream)
        with Load(system.bootstrap, TOPIC, RATE, folder) as load:
            latencies = Latencies(load.ledger)
            client = watch(rest, job, lambda row, now: latencies.result(row["hi"], now))
            rest.post(f"jobs/{job}/start", {"from": "now"})
            wait_until(lambda: latencies.greatest_seen() >= 0, 300, "the first result came")
            strangers = Strangers(system.layout.data)
            few, engine_mb = _latency(latencies, seconds), [_engine_mb(system)]
            began = time.monotonic()
            fill(system.bootstrap, TOPIC, "keyed", keys, time.time_ns() // 1_000, step_us=0, keys=keys)
            _await_live(rest, job, latencies)
            fill_s = time.monotonic() - began
            many = _latency(latencies, seconds)
            engine_mb.append(_engine_mb(system))
            print(f"state: filled in {fill_s:.0f} s, engine {engine_mb} MiB", flush=True)
            parts = Trials()
            tried = [
                parts.run(f"restart {number + 1}", lambda: _restart(rest, job, latencies))
                for number in range(restarts)
            ]
            stranger_cores = strangers.cores()
            client.close()
    numbers = {
        "rate": RATE,
        "keys": keys,
        "seconds": seconds,
        "fill_s": round(fill_s, 1),
        "few_ms": summary(few),
        "many_ms": summary(many),
        "engine_mb": engine_mb,
        "restart_s": [seconds for seconds in tried if seconds is not None],
        "strangers": stranger_cores,
        "failed": parts.failed,
    }
    return numbers, {"few": few, "many": many}


def _create(rest: Rest, stream: str) -> str:
    document = {
        "format": 1,
        "name": "large-state",
        "sources": {"events": {"stream": stream}},
        "steps": {
            "counts": {
                "op": "aggregate",
                "input": "events",
                "by": ["k"],
                "measures": {"n": "count()", "lo": "min(g)", "hi": "max(g)"},
            },
            "live": {"op": "filter", "input": "counts", "where": "k like 'k%'"},
        },
        "outputs": {"live": {"input": "live", "to": "result"}},
        "settings": {"mode": "realtime", "engine": "shared"},
    }
    return str(rest.post("jobs", {"document": json.dumps(document)})["id"])


def _latency(latencies: Latencies, seconds: float) -> HdrHistogram:
    time.sleep(seconds)
    latencies.histogram = new_histogram()
    latencies.recording = True
    time.sleep(seconds)
    latencies.recording = False
    return latencies.histogram


def _engine_mb(system: System) -> int:
    """PSS of the shared engine, its Python processes included."""
    trees = process_trees(system)
    return round(sum(memory(tree)[0] for name, tree in trees.items() if name.startswith("engine-")))


def _await_live(rest: Rest, job: str, latencies: Latencies) -> None:
    """Wait until results are as new as events are."""

    def live() -> bool:
        state = rest.get(f"jobs/{job}")
        assert state["observed"] != "failed", state["failure"]
        old_us = time.time_ns() // 1_000 - latencies.newest_arrival_us + latencies.newest_latency_us
        return not state["draining"] and old_us < 2_000_000

    time.sleep(10)  # what it takes for a run to notice that it falls behind
    wait_until(live, _LIMIT_S, "the backlog is in the state")


def _restart(rest: Rest, job: str, latencies: Latencies) -> float:
    """Stop and resume; seconds from the request to the first result of a later event."""
    rest.post(f"jobs/{job}/stop")
    wait_until(lambda: rest.get(f"jobs/{job}")["observed"] == "stopped", 120, "the job is stopped")
    asked_us = time.time_ns() // 1_000
    rest.post(f"jobs/{job}/start", {"from": "resume"})
    wait_until(
        lambda: latencies.newest_arrival_us - latencies.newest_latency_us > asked_us,
        _LIMIT_S,
        "a result of a later event came",
    )
    return round((latencies.newest_arrival_us - asked_us) / 1e6, 2)
