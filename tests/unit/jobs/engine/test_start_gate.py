"""Runs of a host start one after the other, and only while there is processor time for them."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.engine import start_gate
from jobs.engine.host_engines import LOCK_WAIT_S, HostEngines
from jobs.engine.processor_load import Load
from jobs.engine.start_gate import (
    ALWAYS_ADMITTED_PER_CORE,
    BURST,
    MAX_SHARE,
    SETTLED_S,
    SPACING_S,
    TOLD_AGAIN_S,
    StartGate,
)
from jobs.kafka_messages import Failure
from tests.support.processes import wait_until

IDLE = Load(engine=0.1, others=0.1, cores=2)
FULL = Load(engine=1.6, others=0.3, cores=2)
MANY = 2 * ALWAYS_ADMITTED_PER_CORE


class Host:
    """An engine whose load, runs and clock a test sets.

    folder: shared with the other engines of the same host; None: it is alone.
    """

    def __init__(self, load: Load | None = IDLE, running: int = 0, folder: Path | None = None) -> None:
        self.load, self.running, self.now = load, running, 1_000.0
        self.used: float | None = None
        engines = HostEngines(folder, f"shared-{id(self)}", lambda: self.now) if folder else None
        self.gate = StartGate(
            lambda: self.load, lambda: self.running, lambda: self.now, engines, lambda: self.used
        )
        self.gate.tell()

    def try_once(self, *, admitted_before: bool = False) -> str | None:
        """None when a run may start now; else why not."""
        reason = self.refusal(admitted_before=admitted_before)
        return None if reason is None else reason.code

    def refusal(self, *, admitted_before: bool = False) -> Failure | None:
        """None when a run may start now; else the reason that is told."""
        reasons: list[Failure] = []
        asked = iter((True, False))
        admitted = self.gate.enter(lambda: next(asked), reasons.append, admitted_before=admitted_before)
        assert bool(reasons) is not admitted, "whoever waits says why"
        return None if admitted else reasons[0]


def test_an_idle_host_admits_a_burst_and_then_one_after_the_other() -> None:
    host = Host()
    assert [host.try_once() for _ in range(BURST)] == [None] * BURST
    assert host.try_once() == "STARTS_IN_TURN"
    host.now += BURST * SPACING_S
    assert [host.try_once() for _ in range(BURST + 1)] == [*[None] * BURST, "STARTS_IN_TURN"]


def test_a_full_host_admits_none_and_says_why() -> None:
    host = Host(FULL, running=20)
    reason = host.refusal()
    assert reason is not None
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
    assert [host.try_once(admitted_before=True) for _ in range(BURST + 1)] == [
        *[None] * BURST,
        "STARTS_IN_TURN",
    ]


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
        (Load(engine=1.1, others=0.5, cores=2), True),
        (Load(engine=1.19, others=0.5, cores=2), False),  # 1.7 of 2 cores are all that is to be used
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


def told_codes(host: Host, steps: list[Callable[[], None]]) -> list[str]:
    """What a run that waits through these steps says."""
    told: list[str] = []
    left = iter(steps)

    def go_on() -> bool:
        step = next(left, None)
        if step is not None:
            step()
        return step is not None

    host.gate.enter(go_on, lambda reason: told.append(reason.code), admitted_before=False)
    return told


def test_it_says_why_once_and_again_when_that_changes_or_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.engine.start_gate._RECHECK_S", 0.0)
    host = Host(FULL, running=MANY)

    def set_load(load: Load) -> None:
        host.load = load

    for _ in range(BURST):
        assert host.try_once(admitted_before=True) is None

    def nothing() -> None:
        """The load stays."""

    def much_later() -> None:
        host.now += TOLD_AGAIN_S + 1
        for _ in range(BURST):
            assert host.try_once(admitted_before=True) is None

    steps = [nothing, nothing, lambda: set_load(IDLE), nothing, lambda: set_load(FULL), much_later]
    assert told_codes(host, steps) == ["AT_CAPACITY", "STARTS_IN_TURN", "AT_CAPACITY", "AT_CAPACITY"]


def test_the_floor_and_the_burst_are_the_hosts_however_many_engines_it_has(tmp_path: Path) -> None:
    half = Load(engine=0.9, others=1.0, cores=2)
    engines = [Host(half, running=MANY // 2, folder=tmp_path) for _ in range(2)]
    reason = engines[0].refusal()
    assert reason is not None
    assert (
        "The host's 2 engines with 8 runs use 1.8 of 2 cores, and other processes of the host 0.1"
        in reason.message
    )
    engines[1].running = 0
    engines[1].gate.tell()
    assert [each.try_once() for each in engines * 2] == [None] * 4
    assert [each.try_once() for each in engines] == ["STARTS_IN_TURN"] * 2


def test_the_half_that_others_may_not_take_is_shared_by_the_engines_of_a_host(tmp_path: Path) -> None:
    # 0.5 + 0.5 cores of two engines, and 1.0 of others: alone each would have room for one more.
    load = Load(engine=0.5, others=1.5, cores=2)
    engines = [Host(load, running=MANY, folder=tmp_path) for _ in range(2)]
    assert [each.try_once() for each in engines] == ["AT_CAPACITY"] * 2
    assert Host(load, running=MANY).try_once() is None


def test_the_runs_of_all_engines_of_a_host_are_counted(tmp_path: Path) -> None:
    first, second = (Host(running=running, folder=tmp_path) for running in (3, 4))
    assert [each.gate.runs_at_start() for each in (first, second, Host(running=5))] == [8, 8, 6]


def test_runs_that_start_together_count_before_their_queries_have_started(tmp_path: Path) -> None:
    first, second = (Host(folder=tmp_path) for _ in range(2))
    assert [first.try_once() for _ in range(3)] == [None] * 3
    first.gate.tell()
    assert (first.gate.runs_at_start(), second.gate.runs_at_start()) == (3, 3)
    first.now = second.now = first.now + 11
    assert first.gate.runs_at_start() == 1


def test_an_engine_that_is_gone_or_was_before_the_hosts_restart_does_not_count(tmp_path: Path) -> None:
    gone = Host(FULL, running=MANY, folder=tmp_path)
    host = Host(FULL, running=0, folder=tmp_path)
    assert host.try_once() == "AT_CAPACITY"
    host.now += 11
    assert host.try_once() is None
    gone.now = host.now
    gone.gate.tell()
    assert host.try_once() == "AT_CAPACITY"
    for file in tmp_path.glob("*.json"):
        file.write_text(file.read_text().replace('"boot_id":"', '"boot_id":"another-'))
    assert host.try_once() is None


def test_an_engine_that_stands_still_while_it_decides_does_not_stop_the_others(tmp_path: Path) -> None:
    host, still = Host(folder=tmp_path), HostEngines(tmp_path, "still")
    with still.deciding() as decides:
        assert decides
        for _ in range(int(LOCK_WAIT_S) + 1):
            assert host.try_once() == "STARTS_IN_TURN"
            host.now += 1
        assert host.try_once() is None


def test_an_attempt_of_long_ago_does_not_make_the_next_one_pass_an_engine_that_decides(
    tmp_path: Path,
) -> None:
    host, other = Host(folder=tmp_path), HostEngines(tmp_path, "other")
    for _ in range(2):
        with other.deciding():
            assert host.try_once() == "STARTS_IN_TURN"  # and it is given up
        host.now += 3_600


def recovery_s(used: float) -> float:
    """Seconds in which 30 interrupted runs start on a host of 8 cores of which so many are in use."""
    host = Host(Load(engine=0.1, others=0.1, cores=8), running=0)
    host.used = used
    began, started = host.now, 0
    while started < 30:
        if host.try_once(admitted_before=True) is None:
            started += 1
        else:
            host.now += 0.05
    return host.now - began


def test_interrupted_runs_start_as_fast_as_processors_are_idle_and_no_slower_than_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(start_gate, "_RECOVERY_RECHECK_S", 0.0)  # the clock is the test's
    assert recovery_s(used=4.0) < 10
    assert 20 < recovery_s(used=8 * MAX_SHARE) < 30


def test_of_interrupted_runs_those_that_people_look_at_come_first() -> None:
    host = Host()
    for _ in range(BURST):
        assert host.try_once(admitted_before=True) is None
    started: list[int] = []
    threads: list[threading.Thread] = []
    for precedence in (7, 1, 4):

        def enter(precedence: int = precedence) -> None:
            host.gate.enter(lambda: True, lambda _: None, admitted_before=True, precedence=precedence)
            started.append(precedence)

        threads.append(threading.Thread(target=enter, daemon=True))
        before = len(host.gate._waiting)
        threads[-1].start()
        wait_until(lambda: len(host.gate._waiting) > before, 60, "it waits")  # noqa: B023 - used at once
    for count in (1, 2, 3):
        with host.gate._changed:
            host.gate._admitted = host.gate._admitted[1:]
        wait_until(lambda: len(started) >= count, 60, "the next starts")  # noqa: B023 - used at once
    assert started == [1, 4, 7]
