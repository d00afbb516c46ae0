"""The other way to run many jobs, beside P5: a `spark-submit` for each, all over one topic."""

import time
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.clients import TopicClient
from bench.ledger import Latencies
from bench.many_jobs import RATE, SAMPLE_SECONDS, SETTLE_SECONDS
from bench.peers.processes import Peer, tutorial
from bench.percentiles import percentile
from bench.reports.scale import FRESH_MS, jobs_carried
from bench.steady import PARTITIONS, Load, create_topics
from bench.trials import Trials
from bench.usage import Strangers, cpu_below, memory, with_children
from tests.support.kafka_node import KafkaServer

FIRST_SECONDS: Final = 300.0  # until each of them must have given a result


class _Job:
    """A tutorial's job, and the client of its results."""

    def __init__(self, bootstrap: str, topic: str, number: int, load: Load, folder: Path) -> None:
        target = f"bench.submitted.{number}"
        create_topics(bootstrap, target)
        self.seen = Latencies(load.ledger)
        self._client = TopicClient(
            bootstrap, target, PARTITIONS, lambda row, now: self.seen.result(row["hi"], now)
        )
        self._client.start()
        self._client.ready.wait(30)
        self._ledger = load.ledger
        self.peer: Peer = tutorial(
            bootstrap, topic, target, folder / f"job-{number}", PARTITIONS, "0 seconds"
        )
        self.peer.start()

    def freshness_ms(self, now_us: int) -> float | None:
        """The age of the newest event in its results; None: there are none."""
        newest = self.seen.greatest_seen()
        return None if newest < 0 else (now_us - int(self._ledger.sent_us[newest])) / 1_000

    def end(self) -> None:
        """End it and its client."""
        self.peer.stop()
        self._client.close()


def measure(folder: Path, counts: list[int], seconds: int) -> dict[str, Any]:
    """Start jobs until there are so many, measure, and go on, until they are no longer fresh.

    Args:
        folder: new.
        counts: numbers of jobs, rising.
        seconds: how long to measure each.

    Returns:
        rate, seconds, fresh_ms, steps (as `bench.many_jobs`), settings, strangers (cores) and failed.
    """
    strangers, parts = Strangers(folder), Trials()
    (folder / "kafka").mkdir(parents=True)
    server = KafkaServer(folder / "kafka")
    server.start()
    jobs: list[_Job] = []
    steps: list[dict[str, Any]] = []
    topic = "bench.submitted"
    try:
        create_topics(server.bootstrap, topic)
        with Load(server.bootstrap, topic, RATE, folder) as load:
            for count in counts:
                step = parts.run(
                    f"{count} jobs", partial(_step, jobs, count, server, topic, load, folder, seconds)
                )
                print(f"spark-submit {step}", flush=True)
                if step is None:
                    break
                steps.append(step)
                if jobs_carried([step]) < count:
                    break
            stranger_cores = strangers.cores()  # while the jobs live, whose time it needs
        settings = jobs[0].peer.settings
    finally:
        for job in jobs:
            job.end()
        server.stop()
    return {
        "rate": RATE,
        "seconds": seconds,
        "fresh_ms": FRESH_MS,
        "steps": steps,
        "settings": settings,
        "strangers": stranger_cores,
        "failed": parts.end(),
    }


def _step(
    jobs: list[_Job], count: int, server: KafkaServer, topic: str, load: Load, folder: Path, seconds: int
) -> dict[str, Any]:
    """Start jobs until there are so many, and measure them."""
    began = time.monotonic()
    while len(jobs) < count:
        jobs.append(_Job(server.bootstrap, topic, len(jobs), load, folder))
    _await_first(jobs)
    started = time.monotonic() - began
    time.sleep(SETTLE_SECONDS)
    return {"jobs": count, "start_s": round(started, 1), **_measured(jobs, seconds)}


def _await_first(jobs: list[_Job]) -> None:
    """Wait until all have given a result, as long as that may take; who has not is not known."""
    until = time.monotonic() + FIRST_SECONDS
    while time.monotonic() < until and any(job.seen.greatest_seen() < 0 for job in jobs):
        for job in jobs:
            job.peer.check()
        time.sleep(0.2)


def _measured(jobs: list[_Job], seconds: float) -> dict[str, Any]:
    freshness: list[float] = []
    looks = 0
    before, began = sum(cpu_below(job.peer.pid) for job in jobs), time.monotonic()
    while time.monotonic() - began < seconds:
        now = time.time_ns() // 1_000
        found = [job.freshness_ms(now) for job in jobs]
        freshness += [each for each in found if each is not None]
        looks += len(found)
        time.sleep(SAMPLE_SECONDS)
    elapsed, used = time.monotonic() - began, sum(cpu_below(job.peer.pid) for job in jobs)
    return {
        "known": round(len(freshness) / looks, 3),
        "fresh_p50_ms": round(percentile(freshness, 0.5)) if freshness else None,
        "fresh_p95_ms": round(percentile(freshness, 0.95)) if freshness else None,
        "cores": round((used - before) / elapsed, 2),
        "pss_mb": round(sum(memory(with_children(job.peer.pid))[0] for job in jobs)),
    }
