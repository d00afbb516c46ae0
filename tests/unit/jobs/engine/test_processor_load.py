"""How much processor time an engine and its host use."""

import os
import subprocess
import sys
import time

import pytest

from jobs.base.host_limits import HostLimits
from jobs.engine.processor_load import WINDOW_S, Load, ProcessorLoad, processor_times
from tests.support.processes import wait_until


def sampled(*samples: tuple[float, float, float], cores: int = 4) -> Load | None:
    """The load after samples of (time, processor time of the engine, of the host)."""
    times = iter((engine, host) for _, engine, host in samples)
    load = ProcessorLoad((1,), lambda _: next(times), cores)
    for at, _, _ in samples:
        load.sample(at)
    return load.load()


def test_the_load_is_unknown_before_the_second_sample() -> None:
    assert sampled() is None
    assert sampled((0, 0, 0)) is None


def test_seconds_of_processor_time_per_second() -> None:
    assert sampled((10, 100, 1_000), (12, 101, 1_003)) == Load(engine=0.5, others=1.0, cores=4)


def test_only_the_last_seconds_count() -> None:
    minute = [(at * 2.0, 100.0, 200.0) for at in range(31)]
    busy = [(60 + at * 2.0, 100.0 + at, 200.0 + at) for at in range(1, int(WINDOW_S / 2) + 1)]
    assert sampled(*minute, *busy) == Load(engine=0.5, others=0.0, cores=4)


def test_a_process_that_restarts_gives_no_negative_load() -> None:
    assert sampled((0, 100, 50), (2, 0, 40)) == Load(engine=0.0, others=0.0, cores=4)


def test_engines_may_use_what_others_leave_of_a_share_and_half_of_it_however_busy_others_are() -> None:
    assert Load(engine=0.1, others=0.5, cores=2).left_for_engines(0.8) == pytest.approx(1.1)
    assert Load(engine=0.1, others=1.9, cores=2).left_for_engines(0.8) == pytest.approx(0.8)


def test_the_times_of_real_processes() -> None:
    own, host = processor_times((os.getpid(),))
    assert 0 < own < host
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        wait_until(lambda: processor_times((busy.pid,))[0] > 0.05, 60, "the loop has used the processor")
    finally:
        busy.kill()
        busy.wait()
    assert processor_times((busy.pid,))[0] == 0.0
    started = time.monotonic()
    load = ProcessorLoad((os.getpid(),))
    load.sample(started)
    load.sample(started + 1)
    found = load.load()
    assert found is not None
    assert found.cores == HostLimits().cores()
