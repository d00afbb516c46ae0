"""Runs of an engine start one after the other, and only while there is processor time for them."""

import threading
from collections.abc import Callable

import pytest

from jobs.engine.processor_load import Load
from jobs.engine.start_gate import ALWAYS_ADMITTED_PER_CORE, BURST, SETTLED_S, SPACING_S, StartGate
from jobs.kafka_messages import Failure
from tests.support.processes import wait_until

IDLE = Load(engine=0.1, others=0.1, cores=2)
FULL = Load(engine=1.6, others=0.3, cores=2)
MANY = 2 * ALWAYS_ADMITTED_PER_CORE


class Host:
    """An engine whose load, runs and clock a test sets."""

    def __init__(self, load: Load | None = IDLE, running: int = 0) -> None:
        self.load, self.running, self.now = load, running, 1_000.0
        self.gate = StartGate(lambda: self.load, lambda: self.running, lambda: self.now)

    def try_once(self, *, admitted_before: bool = False) -> Failure | str | None:
        """None when a run may start now; else the reason, or "waits" where there is none to tell."""
        reasons: list[Failure] = []
        asked = iter((True, False))
        admitted = self.gate.enter(lambda: next(asked), reasons.append, admitted_before=admitted_before)
        return None if admitted else (reasons or ["waits"])[0]


def test_an_idle_host_admits_a_burst_and_then_one_after_the_other() -> None:
    host = Host()
    assert [host.try_once() for _ in range(BURST)] == [None] * BURST
    assert host.try_once() == "waits"
    host.now += BURST * SPACING_S
    assert [host.try_once() for _ in range(BURST + 1)] == [*[None] * BURST, "waits"]


def test_a_full_host_admits_none_and_says_why() -> None:
    host = Host(FULL, running=20)
    reason = host.try_once()
    assert isinstance(reason, Failure)
    assert (reason.code, reason.permanent) == ("AT_CAPACITY", False)
    assert "20 runs use 1.6 of 2 cores, and other processes of the host 0.3" in reason.message
    host.load = IDLE
    assert host.try_once() is None


def test_a_few_runs_start_on_any_host() -> None:
    assert Host(FULL, running=MANY - 1).try_once() is None
    assert Host(FULL, running=MANY).try_once() is not None


def test_an_unknown_load_admits() -> None:
    assert Host(None, running=200).try_once() is None


def test_a_run_that_goes_on_after_an_interruption_does_not_ask_for_capacity() -> None:
    host = Host(FULL, running=20)
    assert [host.try_once(admitted_before=True) for _ in range(BURST + 1)] == [*[None] * BURST, "waits"]


def test_starts_that_are_not_in_the_measured_load_yet_count() -> None:
    # 1.0 of 1.7 cores by ten runs: there is room for three more, when each takes 0.1 and its start 0.1.
    host = Host(Load(engine=1.0, others=0.0, cores=2), running=10)
    assert [host.try_once() is None for _ in range(5)] == [True, True, True, False, False]
    host.now += SETTLED_S
    assert host.try_once() is None


@pytest.mark.parametrize(
    ("load", "admits"),
    [
        (Load(engine=0.7, others=1.9, cores=2), True),  # others may not take more than half
        (Load(engine=0.9, others=1.1, cores=2), False),
        (Load(engine=6.0, others=0.5, cores=8), True),
    ],
)
def test_what_others_leave_is_available(load: Load, admits: bool) -> None:
    host = Host(load, running=40)
    assert (host.try_once() is None) is admits


def waiting(host: Host, name: str, started: list[str], *, admitted_before: bool = False) -> threading.Thread:
    """A thread that waits at the gate and adds its name when it may start."""
    queued = threading.Event()

    def enter() -> None:
        if host.gate.enter(lambda: True, lambda _: queued.set(), admitted_before=admitted_before):
            started.append(name)

    thread = threading.Thread(target=enter, daemon=True)
    before = len(host.gate._waiting)
    thread.start()
    wait_until(lambda: len(host.gate._waiting) > before or name in started, 60, f"{name} waits")
    if not admitted_before:
        assert queued.wait(60)  # all that lack processor time say so, not only the first
    return thread


def test_interrupted_runs_come_first_then_those_that_wait_longest() -> None:
    host = Host(FULL, running=20)
    started: list[str] = []
    threads = [waiting(host, name, started) for name in ("first", "second")]
    interrupted = waiting(host, "interrupted", started, admitted_before=True)
    interrupted.join(60)
    assert started == ["interrupted"]
    host.load = IDLE
    for thread in threads:
        thread.join(60)
    assert started == ["interrupted", "first", "second"]


def test_a_run_that_is_stopped_leaves_the_queue() -> None:
    host = Host(FULL, running=20)
    go_on = threading.Event()
    go_on.set()
    answers: list[bool] = []
    should_wait: Callable[[], bool] = go_on.is_set
    thread = threading.Thread(
        target=lambda: answers.append(host.gate.enter(should_wait, lambda _: None, admitted_before=False))
    )
    thread.start()
    wait_until(lambda: bool(host.gate._waiting), 60, "it waits")
    go_on.clear()
    thread.join(60)
    assert answers == [False]
    host.load = IDLE
    assert host.try_once() is None
