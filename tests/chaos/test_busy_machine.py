"""All cores are busy: running jobs are still seen as running, and a hanging engine is still noticed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer

from tests.chaos.jobs import Job, create, register
from tests.support.process_family import suspended
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.timeout(900)]

RECORDS = 300_000
KEYS = 2_000  # in windows of 5 s: most records make a result of their own


@contextmanager
def busy_cores() -> Iterator[None]:
    """A process that never rests for each core."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def produce(bootstrap: str, topic: str) -> None:
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 50, "queue.buffering.max.messages": RECORDS}
    )
    now_us = time.time_ns() // 1000
    for at in range(RECORDS):
        value = json.dumps({"k": f"k{at % KEYS}", "x": at, "at": now_us - (RECORDS - at) * 1_000})
        producer.produce(topic, value.encode(), partition=at % 2)
    assert producer.flush(120) == 0


@pytest.mark.long
def test_a_job_that_catches_up_is_never_unknown(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    produce(system.bootstrap, stream_name)
    job = create(rest, "catches-up", stream_name, "microbatch")
    job.start()
    seen: set[str] = set()

    def caught_up() -> bool:
        status = job.state()
        seen.add(status["observed"])
        return bool(status["lag"] and status["lag"]["records"] == 0)

    with busy_cores():
        wait_until(caught_up, 300, "the backlog is read")
        assert seen <= {"running"}, seen
        wait_until(lambda: counted(job) == RECORDS, 300, "the backlog is stored")
    rest.post(f"jobs/{job.id}/stop")


def counted(job: Job) -> int:
    state = job.state()
    assert state["observed"] == "running", state
    return job.counted()


@pytest.mark.thorough
def test_an_engine_that_hangs_is_noticed_and_one_that_goes_on_is_believed(
    system: System, rest: Rest, stream_name: str
) -> None:
    register(rest, stream_name)
    job = create(rest, "hangs", stream_name, "microbatch")
    job.start()
    engine = system.pid("engine")
    with busy_cores():
        with suspended(engine):
            job.await_state("unknown", 30)
        job.await_state("running", 30)
    assert system.pid("engine") == engine, "silence alone ends no engine"
    rest.post(f"jobs/{job.id}/stop")
