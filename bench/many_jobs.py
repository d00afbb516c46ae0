"""P5: more and more jobs on one machine: how fresh their results stay, and what they take."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
from requests import RequestException

from bench.idle import process_trees
from bench.percentiles import percentile
from bench.steady import Load
from bench.usage import Strangers, cpu_seconds, memory
from bench.weir_job import await_warm_engine, register
from tests.support.processes import wait_until
from tests.support.rest import Answer, Rest
from tests.support.system import System

RATE = 50
SETTLE_SECONDS = (
    45.0  # after the last start: longer than a commit interval, as each run's first commit is dear
)
SETTLE_LIMIT_SECONDS = 600.0
SAMPLE_SECONDS = 2.0


def measure_many(system: System, folder: Path, counts: list[int], seconds: float) -> dict[str, Any]:
    """Start jobs until there are so many, measure, and go on to the next number.

    Every job is another document, because equal ones would share what Spark compiles.

    Args:
        system: running, without jobs.
        folder: for the ledger.
        counts: numbers of jobs, rising.
        seconds: how long to measure each.

    Returns:
        rate, seconds, steps, stop_s, strangers (cores), and failed: why it ended before the last number of
        jobs and the stop; null: it did not.
    """
    rest = system.rest("bench", "bench")
    topic = "bench.many"
    stream = register(rest, topic)
    await_warm_engine(rest)
    jobs: list[str] = []
    steps: list[dict[str, Any]] = []
    strangers = Strangers(system.layout.data)
    stop_s = failed = None
    with Load(system.bootstrap, topic, RATE, folder):
        try:
            for count in counts:
                steps.append(_step(system, rest, stream, jobs, count, seconds))
                print(f"P5 {json.dumps(steps[-1])}", flush=True)
            stop_s = _stop_one(rest, jobs[0])
        except (Answer, RequestException, AssertionError, TimeoutError, psutil.Error) as error:
            failed = f"with {len(jobs)} jobs: {error!r}"  # the machine gave in; the steps before hold
    return {
        "rate": RATE,
        "seconds": seconds,
        "steps": steps,
        "stop_s": stop_s,
        "strangers": strangers.cores(),
        "failed": failed,
    }


def _step(
    system: System, rest: Rest, stream: str, jobs: list[str], count: int, seconds: float
) -> dict[str, Any]:
    """Start jobs until there are so many, and measure them."""
    began = time.monotonic()
    while len(jobs) < count:
        jobs.append(_create(rest, stream, len(jobs)))
        rest.post(f"jobs/{jobs[-1]}/start", {"from": "now"})
    started, settled = _settle(rest)
    return {
        "jobs": count,
        "start_s": round(started - began, 1),
        "settled": settled,
        **_measured(system, rest, seconds),
    }


def _create(rest: Rest, stream: str, number: int) -> str:
    document = {
        "format": 1,
        "name": f"many-{number}",
        "sources": {"events": {"stream": stream}},
        "steps": {
            "some": {"op": "filter", "input": "events", "where": f"g % 1000 <> {number}"},
            "more": {"op": "derive", "input": "some", "fields": {f"v{number}": f"g % {number + 2}"}},
            "counts": {
                "op": "aggregate",
                "input": "more",
                "window": {"tumbling": {"size": f"{10 + number}s"}},
                "by": ["k"],
                "measures": {"n": "count()", f"top{number}": f"max(v{number})"},
            },
        },
        "outputs": {"live": {"input": "counts", "to": "result"}},
        "settings": {"mode": "realtime"},
    }
    return str(rest.post("jobs", {"document": json.dumps(document)})["id"])


def _settle(rest: Rest) -> tuple[float, bool]:
    """Wait until no more runs start, then a commit interval.

    Returns:
        When the last one had started, and whether the runs came to rest; not: they still start and stop after
        `SETTLE_LIMIT_SECONDS`.
    """
    began = since = time.monotonic()
    before = -1
    while time.monotonic() - since < SETTLE_SECONDS:
        states = Counter(job["observed"] for job in rest.get("jobs")["results"])
        if states["running"] != before or states["starting"]:
            since, before = time.monotonic(), states["running"]
        if time.monotonic() - began > SETTLE_LIMIT_SECONDS:
            return since, False
        time.sleep(SAMPLE_SECONDS)
    return since, True


def _measured(system: System, rest: Rest, seconds: float) -> dict[str, Any]:
    """Freshness of the running jobs, states of all with the reasons of those that do not run, and what the
    system takes. `known`: the share of all that ran and had a freshness.
    """
    freshness: list[float] = []
    states: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    began, before = time.monotonic(), _cpu(system)
    while time.monotonic() - began < seconds:
        listed = rest.get("jobs")["results"]
        states.update(job["observed"] for job in listed)
        reasons.update(
            f"{job['observed']}: {job['failure']['code']}"
            for job in listed
            if job["observed"] != "running" and job["failure"] is not None
        )
        freshness += [
            job["freshness_ms"]
            for job in listed
            if job["observed"] == "running" and job["freshness_ms"] is not None
        ]
        time.sleep(SAMPLE_SECONDS)
    after, elapsed = _cpu(system), time.monotonic() - began
    seen = sum(states.values())
    return {
        "fresh_p50_ms": round(percentile(freshness, 0.5)) if freshness else None,
        "fresh_p95_ms": round(percentile(freshness, 0.95)) if freshness else None,
        "known": round(len(freshness) / seen, 3),
        "states": {state: round(number / seen, 3) for state, number in states.items()},
        "reasons": {reason: round(number / seen, 3) for reason, number in reasons.items()},
        "cores": {name: round((spent - before.get(name, 0.0)) / elapsed, 2) for name, spent in after.items()},
        "pss_mb": round(sum(memory(tree)[0] for tree in process_trees(system).values())),
    }


def _cpu(system: System) -> Counter[str]:
    """Processor time in seconds so far, by name of process; all engines are one."""
    spent: Counter[str] = Counter()
    for name, tree in process_trees(system).items():
        spent["engine" if name.startswith("engine-") else name] += cpu_seconds(tree)
    return spent


def _stop_one(rest: Rest, job: str) -> float:
    """Seconds that a stop takes with all the others running."""
    began = time.monotonic()
    rest.post(f"jobs/{job}/stop")
    wait_until(lambda: rest.get(f"jobs/{job}")["observed"] == "stopped", 120, "the job is stopped")
    return round(time.monotonic() - began, 1)
