"""One person's work takes turns; nobody waits for another person."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.processes import wait_until
from weir.workspaces.errors import BusyError
from weir.workspaces.services import turns as turns_module
from weir.workspaces.services.turns import ThreadTurns, Turns


async def test_a_person_has_so_many_turns_at_a_time() -> None:
    turns, running, most = Turns(2), 0, 0

    async def work() -> None:
        nonlocal running, most
        async with turns.of(1):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(work() for _ in range(10)))
    assert most == 2


async def test_others_do_not_wait() -> None:
    turns = Turns(1)
    async with turns.of(1), asyncio.timeout(5), turns.of(2):
        pass


async def test_a_person_whose_work_is_done_is_forgotten() -> None:
    turns = Turns(1)
    async with turns.of(1):
        pass
    gc.collect()
    assert not turns._of_person


def test_threads_of_a_person_take_turns_and_others_do_not_wait() -> None:
    turns, lock, running, most = ThreadTurns(2, waiting=20), threading.Lock(), 0, 0
    others = threading.Event()

    def work(_: int) -> None:
        nonlocal running, most
        with turns.of(1):
            with lock:
                running += 1
                most = max(most, running)
            assert others.wait(20)
            with lock:
                running -= 1

    with ThreadPoolExecutor(10) as pool:
        found = pool.map(work, range(10))
        wait_until(lambda: running == 2, 20, "the first two have their turns")
        with turns.of(2):
            others.set()
        assert list(found) == [None] * 10
    assert most == 2


def test_whoever_exceeds_the_places_is_told_at_once() -> None:
    turns = ThreadTurns(1, waiting=0)
    with turns.of(1), pytest.raises(BusyError, match="Too many requests"), turns.of(1):
        pass
    with turns.of(1):
        pass


def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "WAIT_S", 0.01)
    turns = ThreadTurns(1, waiting=1)
    with turns.of(1), pytest.raises(BusyError), turns.of(1):
        pass
    with turns.of(1):
        pass
